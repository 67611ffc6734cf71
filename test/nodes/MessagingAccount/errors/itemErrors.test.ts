import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import {
	NodeApiError,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeParameters,
} from 'n8n-workflow';

import {
	ApiError,
	InvalidInputError,
} from '../../../../nodes/MessagingAccount/errors/errorClasses';
import {
	createErrorDetails,
	describeProgress,
	type RunResult,
} from '../../../../nodes/MessagingAccount/errors/itemErrors';
import { createError, createStopError } from '../../../../nodes/MessagingAccount/errors/nodeErrors';
import { createNode } from '../../../support/workflow';

const TYPE = 'n8n-nodes-messaging-account.messagingAccount';
const NODE = createNode('Node', { type: TYPE, parameters: {} });
const TOOL = createNode('Tool', { type: `${TYPE}Tool`, parameters: {} });
const unknown = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
const notSent = new InvalidInputError('x', 'x');

test('omits unknown fields', () => {
	const other = { error: new Error('x'), itemIndex: 0 };
	expect(createErrorDetails(NODE, other, false, 1)).toStrictEqual({ message: 'x' });
	expect(createErrorDetails(NODE, { ...other, error: unknown }, true, 1)).toStrictEqual({
		message: 'x',
		delivery: 'unknown',
		description: 'x The image may have been sent: check the chat before you send it again.',
	});
});

test('names the item only if there are several', () => {
	const messageOf = (itemIndex: number, itemCount: number) =>
		createErrorDetails(NODE, { error: new Error('x'), itemIndex }, false, itemCount).message;
	expect(messageOf(0, 1)).toBe('x');
	expect(messageOf(0, 2)).toBe('x [item 0]');
	expect(messageOf(3, 5)).toBe('x [item 3]');
});

const done = [{ json: { id: 'm' } }];

const DO_NOT_RESEND =
	'The image may have been sent: do not send it again. Ask the user to check the chat. x';

test.each([
	['an uncertain send of a tool', TOOL, unknown, true, DO_NOT_RESEND, 'x'],
	['a certain one of a tool', TOOL, notSent, true, 'x', 'x The image was not sent.'],
	['a read of a tool', TOOL, unknown, false, 'x', 'x'],
])('a model first reads not to send again: %s', (_name, node, error, sends, ...texts) => {
	const { message, description } = createErrorDetails(node, { error, itemIndex: 0 }, sends, 1);
	expect([message, description]).toEqual(texts);
});

function createContext(parameters: INodeParameters = {}, mode = 'webhook', type = TYPE) {
	const node = createNode('Node', { type, parameters });
	return { getMode: () => mode, getNode: () => node } as unknown as IExecuteFunctions;
}

const describeStop = (outputs: INodeExecutionData[][], errors: RunResult['errors'] = []): string =>
	describeProgress(createContext(), { outputs, errors, isDryRun: false }, 'stopped');

test('gives the number of completed items, and the delivery of each other failed item', () => {
	const errors = [
		{ itemIndex: 2, error: unknown },
		{ itemIndex: 1, error: notSent },
	];
	const left = [{ json: { skipped: true, reason: 'limit' } }];
	const outputs = [done, [], [], left];
	const completed = 'Items completed before the stop: 1 of 4.';
	expect(describeStop(outputs)).toBe(completed);
	const others = `${completed} Other failed items: item 2 (unknown), item 1 (notSent).`;
	expect(describeStop(outputs, errors)).toBe(others);
	expect(describeProgress(createContext(), { outputs, errors, isDryRun: true }, 'failed')).toBe(
		others.replace(' item 2 (unknown),', ''),
	);
});

test.each([
	[25, 'item 19 (notSent), 5 more.'],
	[21, 'item 19 (notSent), 1 more.'],
	[20, 'item 19 (notSent).'],
])('lists at most 20 failed items: %d', (length, end) => {
	const errors = Array.from({ length }, (_, itemIndex) => ({ itemIndex, error: notSent }));
	const progress = describeStop([], errors);
	expect(progress.endsWith(end)).toBe(true);
	expect(progress).not.toContain('item 20');
});

const AGAIN =
	/1 of 2\. If you execute the workflow again, those who have the image get it again\. To send only the rest, open 'Executions', click the curved arrow of this one, and choose 'Retry with currently saved workflow'\. It does not read your rows again: put corrected ones in a sheet of their own, and execute the workflow with it\.$/;

test.each([
	['manual', {}, false, 'failed', AGAIN],
	['retry', {}, false, 'failed', AGAIN],
	['manual', {}, false, 'stopped', /1 of 2\. If you .* First take these out of the list: /],
	['manual', { sendOnceId: '={{ $json.order }}' }, false, 'failed', /1 of 2\.$/],
	['manual', {}, true, 'failed', /1 of 2\.$/],
	['webhook', {}, false, 'stopped', /1 of 2\.$/],
	['integrated', {}, false, 'failed', /1 of 2\.$/],
	['webhook', {}, false, 'failed', /1 of 2\. To send only the rest, .* saved workflow'\.$/],
] as const)(
	'in mode %s with %j, dry run %j, what is told when it %s: %s',
	(mode, options, isDryRun, how, end) => {
		const context = createContext({ options }, mode);
		const describeRun = (outputs: INodeExecutionData[][]) =>
			describeProgress(context, { outputs, errors: [], isDryRun }, how);
		expect(describeRun([done, []])).toMatch(end);
		expect(describeRun([[], []])).toMatch(/0 of 2\.$/);
	},
);

/** The last item failed. @param more e.g. what only the context of a tool has that an agent calls itself */
function stop(
	type: string,
	sends: boolean,
	error: Error,
	outputs: INodeExecutionData[][] = [[]],
	{ mode = 'webhook', ...more }: { mode?: string; cloneWith?: () => void } = {},
) {
	const errors = [{ itemIndex: outputs.length - 1, error }];
	const context = { ...createContext({}, mode, type), ...more };
	return createStopError(context, sends, { outputs, errors, isDryRun: false });
}

test('does not describe the progress of a single item, nor of an operation that only reads', () => {
	const error = new InvalidInputError('x', 'y');
	const description = 'y The image was not sent.';
	expect(stop(TYPE, true, error)).toMatchObject({ name: 'NodeOperationError', description });
	expect(stop(TYPE, false, error, [[{ json: {} }], []]).description).toBe('y');
});

test.each([
	[true, 'There is no a.b', 'There is no a.b. The image was not sent.'],
	[true, 'There is no a.b.', 'There is no a.b. The image was not sent.'],
	[false, 'There is none.', 'There is none.'],
])('for an agent, appends the description to the message (sends: %s): %s', (sends, text, shown) => {
	expect(stop(`${TYPE}Tool`, sends, new Error(text)).message).toBe(shown);
});

describe('n8n passes on our text as it is, where it passes on only one', () => {
	const folder = dirname(require.resolve('n8n-workflow/package.json'));
	const source = join(folder, 'dist/cjs/errors/abstract/node.error.js');
	const table = /COMMON_ERRORS = \{([^}]*)\}/.exec(readFileSync(source, 'utf8'))![1];
	const names = [...table.matchAll(/^ *(\w+): /gm)].map(([, name]) => name);
	const statuses = [400, 401, 402, 403, 404, 405, 429, 500, 502, 503, 504].map(String);
	const texts = ['A preexisting chat', 'freeaccess.example is down', 'a superPermeable "gate"'];

	test('the table of n8n is read', () => {
		expect(names).toEqual(expect.arrayContaining(['ECONNRESET', 'ETIMEDOUT', 'EEXIST', 'EPERM']));
		expect(names.length).toBeGreaterThan(15);
	});

	test.each([...names, ...texts, ...statuses, 'Bad gateway'])('%s', (word) => {
		const sentence = `connect ${word}, host-${word.toLowerCase()}.example.com (${word})`;
		const error = new ApiError(sentence, { description: word, result: 'unusable' });
		for (const isTool of [true, false]) {
			const type = isTool ? `${TYPE}Tool` : TYPE;
			const place = isTool ? { cloneWith: () => {} } : { mode: 'integrated' };
			const thrown = stop(type, true, error, [[]], place);
			const { message } = thrown;
			expect(message.replaceAll('\u2060', '')).toContain(`${sentence}. ${word}`);
			expect(message.startsWith('The image may have been sent')).toBe(isTool);
			// As n8n does with an error, with one of another copy of n8n-workflow, and with a text.
			for (const passedOn of [thrown, new Error(message), message])
				expect(new NodeOperationError(TOOL, passedOn).message).toBe(message);
			for (const httpCode of statuses)
				expect(new NodeApiError(TOOL, {}, { message, httpCode }).message).toBe(message);
			expect(thrown.description).toBeUndefined();
		}
	});
});

test.each([
	new ApiError('<a>', { description: '<b>', result: { status: 400 } }),
	new InvalidInputError('<a>', '<b>'),
	new NodeOperationError(NODE, '<a>', { description: '<b>' }),
])('n8n gets no markup from %s', (error) => {
	const plain = { message: '‹a>', description: '‹b>' };
	expect(createErrorDetails(NODE, { error, itemIndex: 0 }, false, 1)).toMatchObject(plain);
	expect(createError(NODE, error)).toMatchObject(plain);
});
