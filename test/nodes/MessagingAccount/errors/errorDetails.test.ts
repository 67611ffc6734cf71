import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import { createErrorDetails } from '../../../../nodes/MessagingAccount/errors/errorDetails';

test('omits unknown fields', () => {
	const error = new ApiError('x', { description: 'x', result: { code: 'ECONNRESET' } });
	expect(createErrorDetails(error, true)).toStrictEqual({
		message: 'x',
		delivery: 'unknown',
		description: expect.stringMatching(/^x The image may have been sent/) as string,
	});
	expect(createErrorDetails(new Error('x'), false, 3)).toStrictEqual({ message: 'x [item 3]' });
});
