import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classify';

const failureAfter = (result: RequestResult) => new ApiError('x', { description: 'What.', result });

test.each<[ending: RequestResult, reason: string]>([
	['unusable', 'an unexpected response'],
	[{ status: 500 }, 'HTTP 500'],
	[{ code: 'ECONNRESET' }, 'ECONNRESET'],
	[{ code: undefined }, 'no response'],
])('after %j the reason is "%s"', (ending, reason) => {
	expect(failureAfter(ending).reason).toBe(reason);
});

test('after a success that is a failure all the same, the message may have been sent', () => {
	expect(failureAfter({ status: 200 }).delivery).toBe('unknown');
});

test('notes stand behind the description', () => {
	const failure = failureAfter('unusable');
	failure.notes.push('So.', 'There.');
	expect(failure.details).toBe('What. So. There.');
});
