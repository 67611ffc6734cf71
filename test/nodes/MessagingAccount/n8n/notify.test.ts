import { basename } from 'node:path';

import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';
import ts from 'typescript';

import { alert, log, showHint, toPlainText } from '../../../../nodes/MessagingAccount/n8n/notify';
import fc from '../../../support/fastCheck';
import { createNode } from '../../../support/workflow';
import { CODE, parseCode } from '../../../docs/documents';

/** What a text reads like. */
const read = (text: string) =>
	text
		.replaceAll('\u2060', '')
		.replaceAll('‹', '<')
		.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');

const MARKUP = [
	...'< </ <!-- --> > <svg =" =\' ` & &amp; &lt &#60; &#x3c; &copy=1 ![ ]( ( ‹ \u2060'.split(' '),
	...['<img src=', '\n', '\u2028', '\u001b[31m'],
];

/** Texts that are mostly markup, whole or in pieces. */
const texts = fc
	.array(fc.oneof(fc.constantFrom(...MARKUP), fc.string({ maxLength: 3, unit: 'binary' })))
	.map((parts) => parts.join(''));

test('what people read stays the same, without tag, entity, link, line break or escape code', () => {
	fc.assert(
		fc.property(texts, (text) => {
			const plain = toPlainText(text);
			expect(read(plain)).toBe(read(text));
			expect(toPlainText(plain)).toBe(plain);
			expect(plain).not.toMatch(/<|&[a-z#]|\]\(|[\p{Cc}\u2028\u2029]/iu);
		}),
	);
});

test.each([
	...['', "'Number' is empty", '1 > 2 & 3', 'a && b', 'Ada & Grace', '[item 3] (x)', 'naïve 👍'],
])('%j stays as it is', (text) => expect(toPlainText(text)).toBe(text));

test.each([
	['Parameter <number> is missing', 'Parameter ‹number> is missing'],
	['a&amp;b&#38;c', 'a&\u2060amp;b&\u2060#38;c'],
	['![x](http://example.com/a.png)', '![x]\u2060(http://example.com/a.png)'],
	['red \u001b[31m\r\nn8n started', 'red  [31m n8n started'],
])('%j becomes %j', (text, plain) => expect(toPlainText(text)).toBe(plain));

test('hints and warnings are made plain', () => {
	const told: unknown[] = [];
	const context = {
		addExecutionHints: (hint: unknown) => told.push(hint),
		getNode: () => createNode('<b>', { type: 'x', parameters: {} }),
		getWorkflow: () => ({ id: '17' }),
		logger: { warn: (...args: unknown[]) => told.push(args) },
		__emitError: ({ message }: Error) => told.push(message),
	} as unknown as IExecuteFunctions & IPollFunctions;
	showHint(context, '&lt;');
	log(context, 'one\ntwo');
	alert(context, 'a\n<b>');
	expect(told).toEqual([
		{ message: '&\u2060lt;', location: 'outputPane' },
		['‹b>: one two', { workflowId: '17' }],
		['‹b>: a ‹b>', { workflowId: '17' }],
		'a ‹b>',
	]);
});

test('no text takes another way', () => {
	const filesWith = (...names: string[]) => {
		const isNamed = (node: ts.Node) => ts.isIdentifier(node) && names.includes(node.text);
		const found = CODE.filter((file) => parseCode(file).some(isNamed));
		return new Set(found.map((file) => basename(file)));
	};
	expect(filesWith('addExecutionHints', 'logger')).toEqual(new Set(['notify.ts']));
	// The other one says that the execution was canceled, and how many items were completed.
	expect(filesWith('NodeApiError', 'NodeOperationError')).toEqual(
		new Set(['nodeErrors.ts', 'MessagingAccount.node.ts', 'notify.ts']),
	);
});
