import ts from 'typescript';

import { findSyntax } from '../support/syntax';

const { QuestionQuestionEqualsToken, BarBarEqualsToken } = ts.SyntaxKind;

/** `object[key] ??= …`: finds what each object has, e.g. `__proto__`, if a name from outside is the key. */
const isDefaultOfKey = (node: ts.Node): node is ts.BinaryExpression =>
	ts.isBinaryExpression(node) &&
	ts.isElementAccessExpression(node.left) &&
	[QuestionQuestionEqualsToken, BarBarEqualsToken].includes(node.operatorToken.kind);

test('no name from outside is a key of a plain object', () => {
	const found = findSyntax(isDefaultOfKey).map(
		({ file, node }) => `${file}: ${node.left.getText()}`,
	);
	expect(found.sort()).toEqual([
		// A hash.
		'circuitBreaker.ts: outages[key]',
		// A list.
		'decode.ts: node.next[code]',
		// Made with Object.create(null).
		'imageFile.ts: contents[id]',
		'imageFile.ts: stored[hash]',
		// A hash.
		'sendLog.ts: this.stored.attempts[recipientHash]',
	]);
});
