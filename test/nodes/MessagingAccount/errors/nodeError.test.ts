import { InvalidInputError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { createStopError } from '../../../../nodes/MessagingAccount/errors/nodeError';
import { createNode } from '../../../support/workflow';

const NODE = createNode('Node', {
	type: 'n8n-nodes-messaging-account.messagingAccount',
	parameters: {},
});
const TOOL = { ...NODE, type: `${NODE.type}Tool` };

test('does not describe the progress of a single item', () => {
	const notSent = new InvalidInputError('x', 'x');
	const { description } = createStopError(
		NODE,
		true,
		[{ itemIndex: 0, error: notSent }],
		[[]],
		true,
	);
	expect(description).toBe('x The image was not sent.');
});

test('does not describe the progress of an operation that only reads', () => {
	const failed = [{ itemIndex: 1, error: new InvalidInputError('x', 'y') }];
	const { description } = createStopError(NODE, false, failed, [[{ json: {} }], []], true);
	expect(description).toBe('y');
});

test.each(['There is no a.b', 'There is no a.b.'])(
	'for an agent, appends the description to the message, with or without a full stop: %s',
	(text) => {
		const failed = [{ itemIndex: 0, error: new Error(text) }];
		const { message } = createStopError(TOOL, true, failed, [], true);
		expect(message).toBe('There is no a.b. The image was not sent.');
	},
);

test('for an agent, keeps the message if there is no description', () => {
	const failed = [{ itemIndex: 0, error: new Error('There is none.') }];
	expect(createStopError(TOOL, false, failed, [], true).message).toBe('There is none.');
});
