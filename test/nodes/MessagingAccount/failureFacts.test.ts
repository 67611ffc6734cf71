import { progress, toNodeError } from '../../../nodes/MessagingAccount/failureFacts';
import { sendImage } from '../../../nodes/MessagingAccount/operations/sendImage.operation';
import { InvalidInput, ServiceFailure } from '../../../nodes/MessagingAccount/service/errors';
import { node } from '../../support/workflow';

const unknown = new ServiceFailure('x', { description: 'x', ending: { code: 'ECONNRESET' } });
const notSent = new InvalidInput('x', 'x');
const done = [{ json: { id: 'm' } }];

test('tells how many items are done, and of each other failure whether it may have been sent', () => {
	const failures = [
		{ itemIndex: 2, error: unknown },
		{ itemIndex: 1, error: notSent },
	];
	expect(progress(sendImage, failures, [done, [], [], []])).toBe(
		'Items done before the stop: 1 of 4. Other failures: item 2 (unknown), item 1 (notSent).',
	);
	expect(progress(sendImage, [], [done, []])).toBe('Items done before the stop: 1 of 2.');
});

test('lists no more of them than one would read', () => {
	const failures = Array.from({ length: 25 }, (_, itemIndex) => ({ itemIndex, error: notSent }));
	const told = progress(sendImage, failures, []);
	expect(told).toContain('item 19 (notSent), 5 more.');
	expect(told).not.toContain('item 20');
});

test('to an agent it is one text, also where the message ends with a full stop, as some of n8n do', () => {
	const type = 'n8n-nodes-messaging-account.messagingAccountTool';
	const failures = [{ itemIndex: 0, error: new Error('There is no such credential.') }];
	const { message } = toNodeError(node('Tool', { type, parameters: {} }), sendImage, failures, []);
	expect(message).toBe('There is no such credential. The image was not sent.');
});
