import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classifyResult';

const createError = (result: RequestResult) => new ApiError('x', { description: 'What.', result });

test.each<[result: RequestResult, reason: string]>([
	['unusable', 'an unexpected response'],
	[{ status: 500 }, 'HTTP 500'],
	[{ code: 'ECONNRESET' }, 'the connection was lost'],
	[{ code: 'ECONNABORTED' }, 'no response in time'],
	[{ code: 'ETIMEDOUT' }, 'no response in time'],
	[{ code: 'ERR_CANCELED' }, 'the execution was stopped'],
	[{ code: undefined }, 'no response'],
])('the result %j has the reason "%s"', (result, reason) => {
	expect(createError(result).reason).toBe(reason);
});

test('an error after a 2xx response has delivery "unknown"', () =>
	expect(createError({ status: 200 }).delivery).toBe('unknown'));

test('the notes stand at the end of the description', () => {
	const error = createError('unusable');
	error.notes.push('So.', 'There.');
	expect(error.description).toBe('What. So. There.');
});
