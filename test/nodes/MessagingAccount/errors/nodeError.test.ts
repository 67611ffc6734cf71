import type { INodeExecutionData } from 'n8n-workflow';

import { InvalidInputError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { createStopError } from '../../../../nodes/MessagingAccount/errors/nodeError';
import { createNode } from '../../../support/workflow';

const TYPE = 'n8n-nodes-messaging-account.messagingAccount';

/** The last item failed. */
function stop(type: string, sends: boolean, error: Error, outputs: INodeExecutionData[][] = [[]]) {
	const failed = [{ itemIndex: outputs.length - 1, error }];
	return createStopError(createNode('Node', { type, parameters: {} }), sends, failed, outputs);
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
