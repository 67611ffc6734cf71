import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import { createErrorDetails } from '../../../../nodes/MessagingAccount/errors/errorDetails';

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
