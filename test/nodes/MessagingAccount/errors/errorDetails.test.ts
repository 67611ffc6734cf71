import type { IExecuteFunctions } from 'n8n-workflow';

import {
	ApiError,
	InvalidInputError,
} from '../../../../nodes/MessagingAccount/errors/errorClasses';
import {
	createErrorDetails,
	chooseAdvice,
	describeProgress,
} from '../../../../nodes/MessagingAccount/errors/errorDetails';

test('omits unknown fields', () => {
	const error = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
	expect(createErrorDetails(error, true, 0, 1)).toStrictEqual({
		message: 'x',
		delivery: 'unknown',
		description: expect.stringMatching(/^x The image may have been sent/) as string,
	});
	expect(createErrorDetails(new Error('x'), false, 0, 1)).toStrictEqual({ message: 'x' });
});

test('names the item only if there are several', () => {
	const messageOf = (itemIndex: number, itemCount: number) =>
		createErrorDetails(new Error('x'), false, itemIndex, itemCount).message;
	expect(messageOf(0, 1)).toBe('x');
	expect(messageOf(0, 2)).toBe('x [item 0]');
	expect(messageOf(3, 5)).toBe('x [item 3]');
});

const unknown = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
const notSent = new InvalidInputError('x', 'x');
const done = [{ json: { id: 'm' } }];

test('gives the number of completed items, and the delivery of each other failed item', () => {
	const others = [
		{ itemIndex: 2, error: unknown },
		{ itemIndex: 1, error: notSent },
	];
	expect(describeProgress(others, [done, [], [], []])).toBe(
		'Items completed before the stop: 1 of 4. Other failed items: item 2 (unknown), item 1 (notSent).',
	);
	expect(describeProgress([], [done, []])).toBe('Items completed before the stop: 1 of 2.');
});

test.each([
	[25, 'item 19 (notSent), 5 more.'],
	[21, 'item 19 (notSent), 1 more.'],
	[20, 'item 19 (notSent).'],
])('lists at most 20 failed items: %d', (length, end) => {
	const others = Array.from({ length }, (_, itemIndex) => ({ itemIndex, error: notSent }));
	const progress = describeProgress(others, []);
	expect(progress.endsWith(end)).toBe(true);
	expect(progress).not.toContain('item 20');
});

test('gives an advice if something was sent', () => {
	expect(describeProgress([], [done, []], 'Retry it.')).toMatch(/1 of 2\. Retry it\.$/);
	expect(describeProgress([], [[], []], 'Retry it.')).toMatch(/0 of 2\.$/);
});

test.each([
	['manual', {}, false, 'failed', /open 'Executions' and retry this one/],
	['manual', {}, false, 'stopped', /first take them out of the list/],
	['manual', { sendOnceId: '={{ $json.order }}' }, false, 'failed', undefined],
	['manual', {}, true, 'failed', undefined],
	['webhook', {}, false, 'stopped', undefined],
] as const)(
	'in mode %s with %j, dry run %j, the advice when %s is %s',
	(mode, options, isDryRun, how, text) => {
		const node = { parameters: { options } };
		const context = { getMode: () => mode, getNode: () => node } as unknown as IExecuteFunctions;
		const advice = chooseAdvice(context, isDryRun, how);
		if (text) expect(advice).toMatch(text);
		else expect(advice).toBeUndefined();
	},
);
