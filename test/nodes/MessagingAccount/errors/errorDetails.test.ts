import type { IExecuteFunctions, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import {
	ApiError,
	InvalidInputError,
} from '../../../../nodes/MessagingAccount/errors/errorClasses';
import {
	createErrorDetails,
	createStopError,
	describeProgress,
	type RunResult,
} from '../../../../nodes/MessagingAccount/errors/errorDetails';
import { createNode } from '../../../support/workflow';

test('omits unknown fields', () => {
	const error = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
	expect(createErrorDetails({ error, itemIndex: 0 }, true, 1)).toStrictEqual({
		message: 'x',
		delivery: 'unknown',
		description: expect.stringMatching(/^x The image may have been sent/) as string,
	});
	const other = { error: new Error('x'), itemIndex: 0 };
	expect(createErrorDetails(other, false, 1)).toStrictEqual({ message: 'x' });
});

test('names the item only if there are several', () => {
	const messageOf = (itemIndex: number, itemCount: number) =>
		createErrorDetails({ error: new Error('x'), itemIndex }, false, itemCount).message;
	expect(messageOf(0, 1)).toBe('x');
	expect(messageOf(0, 2)).toBe('x [item 0]');
	expect(messageOf(3, 5)).toBe('x [item 3]');
});

const TYPE = 'n8n-nodes-messaging-account.messagingAccount';

const unknown = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
const notSent = new InvalidInputError('x', 'x');
const done = [{ json: { id: 'm' } }];

function createContext(parameters: INodeParameters = {}, mode = 'webhook', type = TYPE) {
	const node = createNode('Node', { type, parameters });
	return { getMode: () => mode, getNode: () => node } as unknown as IExecuteFunctions;
}

function describeStop(outputs: INodeExecutionData[][], errors: RunResult['errors'] = []): string {
	return describeProgress(createContext(), { outputs, errors, isDryRun: false }, 'stopped');
}

test('gives the number of completed items, and the delivery of each other failed item', () => {
	const errors = [
		{ itemIndex: 2, error: unknown },
		{ itemIndex: 1, error: notSent },
	];
	const outputs = [done, [], [], []];
	expect(describeStop(outputs, errors)).toBe(
		'Items completed before the stop: 1 of 4. Other failed items: item 2 (unknown), item 1 (notSent).',
	);
	expect(describeProgress(createContext(), { outputs, errors, isDryRun: false }, 'failed')).toBe(
		'Items completed before the stop: 1 of 4. Other failed items: item 1 (notSent).',
	);
	expect(describeStop([done, []])).toBe('Items completed before the stop: 1 of 2.');
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

test.each([
	['manual', {}, false, 'failed', /1 of 2\. If you .* open 'Executions' and retry this one\.$/],
	['manual', {}, false, 'stopped', /1 of 2\. If you .* first take them out of the list\. /],
	['manual', { sendOnceId: '={{ $json.order }}' }, false, 'failed', /1 of 2\.$/],
	['manual', {}, true, 'failed', /1 of 2\.$/],
	['webhook', {}, false, 'stopped', /1 of 2\.$/],
] as const)(
	'in mode %s with %j, dry run %j, the progress when %s ends with advice if something was sent: %s',
	(mode, options, isDryRun, how, end) => {
		const context = createContext({ options }, mode);
		const describeRun = (outputs: INodeExecutionData[][]) =>
			describeProgress(context, { outputs, errors: [], isDryRun }, how);
		expect(describeRun([done, []])).toMatch(end);
		expect(describeRun([[], []])).toMatch(/0 of 2\.$/);
	},
);

/** The last item failed. */
function stop(type: string, sends: boolean, error: Error, outputs: INodeExecutionData[][] = [[]]) {
	const errors = [{ itemIndex: outputs.length - 1, error }];
	const context = createContext({}, 'webhook', type);
	return createStopError(context, sends, { outputs, errors, isDryRun: false });
}

test('does not describe the progress of a single item, nor of an operation that only reads', () => {
	const error = new InvalidInputError('x', 'y');
	expect(stop(TYPE, true, error)).toMatchObject({
		name: 'NodeOperationError',
		description: 'y The image was not sent.',
	});
	expect(stop(TYPE, false, error, [[{ json: {} }], []]).description).toBe('y');
});

test.each([
	[true, 'There is no a.b', 'There is no a.b. The image was not sent.'],
	[true, 'There is no a.b.', 'There is no a.b. The image was not sent.'],
	[false, 'There is none.', 'There is none.'],
])('for an agent, appends the description to the message (sends: %s): %s', (sends, text, shown) => {
	expect(stop(`${TYPE}Tool`, sends, new Error(text)).message).toBe(shown);
});
