import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import { createErrorDetails } from '../../../../nodes/MessagingAccount/errors/errorDetails';
import { InvalidInputError } from '../../../../nodes/MessagingAccount/errors/invalidInputError';
import { describeProgress } from '../../../../nodes/MessagingAccount/errors/progress';
import { createStopError } from '../../../../nodes/MessagingAccount/errors/stopError';
import { node } from '../../../support/workflow';

const unknown = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
const notSent = new InvalidInputError('x', 'x');
const NODE = node('Node', {
	type: 'n8n-nodes-messaging-account.messagingAccount',
	parameters: {},
});
const done = [{ json: { id: 'm' } }];

test('tells how many items are done, and of each other failure whether it may have been sent', () => {
	const failures = [
		{ itemIndex: 2, error: unknown },
		{ itemIndex: 1, error: notSent },
	];
	expect(describeProgress(true, failures, [done, [], [], []])).toBe(
		'Items completed before the stop: 1 of 4. Other failed items: item 2 (unknown), item 1 (notSent).',
	);
	expect(describeProgress(true, [], [done, []])).toBe('Items completed before the stop: 1 of 2.');
});

test.each([
	[25, 'item 19 (notSent), 5 more.'],
	[21, 'item 19 (notSent), 1 more.'],
	[20, 'item 19 (notSent).'],
])('lists no more of them than one would read: of %d', (length, end) => {
	const failures = Array.from({ length }, (_, itemIndex) => ({ itemIndex, error: notSent }));
	const told = describeProgress(true, failures, []);
	expect(told.endsWith(end)).toBe(true);
	expect(told).not.toContain('item 20');
});

test('of one item alone it tells no progress', () => {
	const { description } = createStopError(NODE, true, [{ itemIndex: 0, error: notSent }], [[]]);
	expect(description).toBe('x The image was not sent.');
});

test('has no field for what is not known', () => {
	expect(createErrorDetails(unknown, true)).toStrictEqual({
		message: 'x',
		delivery: 'unknown',
		description: expect.stringMatching(/^x The image may have been sent/) as string,
	});
	expect(createErrorDetails(new Error('x'), false, 3)).toStrictEqual({ message: 'x [item 3]' });
});

test.each(['There is no a.b', 'There is no a.b.'])(
	'to an agent it is one text, also where the message ends with a full stop, as some of n8n do: %s',
	(text) => {
		const failures = [{ itemIndex: 0, error: new Error(text) }];
		const { message } = createStopError({ ...NODE, type: `${NODE.type}Tool` }, true, failures, []);
		expect(message).toBe('There is no a.b. The image was not sent.');
	},
);

test('to an agent the message stands alone where there is no more to say', () => {
	const tool = { ...NODE, type: `${NODE.type}Tool` };
	const failures = [{ itemIndex: 0, error: new Error('There is none.') }];
	expect(createStopError(tool, false, failures, []).message).toBe('There is none.');
});
