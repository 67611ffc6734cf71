import { ApiError, NotStartedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classifyResult';
import { getRetryDelay, withRetries } from '../../../../nodes/MessagingAccount/transport/retry';

const createError = (result: RequestResult) => new ApiError('x', { description: 'x', result });

/** With a random number, which a delay that the service asks for ignores. */
test.each<[RequestResult, attempts: number, isSend: boolean, random: number, delay?: number]>([
	// Doubles, with full jitter.
	[{ status: 500 }, 1, false, 0, 0],
	[{ status: 500 }, 1, false, 0.999, 999],
	[{ status: 500 }, 2, false, 0, 0],
	[{ status: 500 }, 2, false, 0.999, 1998],
	// Is the one that the service asks for, up to a minute, but for the third attempt.
	[{ status: 429, retryAfter: 0 }, 1, false, 0.5, 0],
	[{ status: 429, retryAfter: 0 }, 3, false, 0.5, undefined],
	[{ status: 429, retryAfter: 60_000 }, 1, false, 0.5, 60_000],
	[{ status: 429, retryAfter: 61_000 }, 1, false, 0.5, undefined],
	[{ status: 503, retryAfter: 7000 }, 2, true, 0.5, 7000],
	// Is undefined for an error that would occur again, and for a send that the service may have received.
	[{ status: 404 }, 1, false, 0.5, undefined],
	['unusable', 1, false, 0.5, undefined],
	[{ status: 500 }, 1, true, 0.5, undefined],
	[{ code: 'ECONNRESET' }, 1, true, 0.5, undefined],
	[{ code: 'ECONNREFUSED' }, 1, true, 0.5, 500],
])('after %j, attempt %d, of a send: %s (%d), the delay is %d', (result, ...more) => {
	const [attempts, isSend, random, delay] = more;
	expect(getRetryDelay(createError(result), attempts, isSend, random)).toBe(delay);
});

describe('withRetries', () => {
	const REFUSED: RequestResult = { status: 429, retryAfter: 0 };

	function createAttempt(...results: Array<RequestResult | 'ok' | 'notStarted'>) {
		const attempt = jest.fn(async () => {
			const result = results[attempt.mock.calls.length - 1];
			if (result === 'notStarted') throw new NotStartedError();
			if (result !== 'ok') throw createError(result);
			return 'done';
		});
		return attempt;
	}

	test('retries until an attempt succeeds', async () => {
		const attempt = createAttempt(REFUSED, REFUSED, 'ok');
		expect(await withRetries(attempt, { isSend: true })).toBe('done');
		expect(attempt).toHaveBeenCalledTimes(3);
	});

	test('throws the error of the third attempt, with a note', async () => {
		const attempt = createAttempt(REFUSED, REFUSED, REFUSED, 'ok');
		await expect(withRetries(attempt, { isSend: true })).rejects.toMatchObject({
			notes: ['Tried 3 times.'],
		});
		expect(attempt).toHaveBeenCalledTimes(3);
	});

	test.each([
		[0, 0, 1],
		[0, 1, 2],
		[20, 20, 1],
		[20, 21, 2],
	])(
		'with a delay of %d ms and %d ms left, makes %d attempts',
		async (retryAfter, timeLeft, count) => {
			const attempt = createAttempt({ status: 429, retryAfter }, 'ok');
			await withRetries(attempt, { isSend: false, getTimeLeft: () => timeLeft }).catch(() => {});
			expect(attempt).toHaveBeenCalledTimes(count);
		},
	);

	test('does not retry an error that is not safe to retry', async () => {
		const attempt = createAttempt({ status: 500 }, 'ok');
		await expect(withRetries(attempt, { isSend: true })).rejects.toMatchObject({ notes: [] });
		expect(attempt).toHaveBeenCalledTimes(1);
	});

	test('throws the last error if no further attempt may start', async () => {
		const attempt = createAttempt(REFUSED, 'notStarted');
		await expect(withRetries(attempt, { isSend: true })).rejects.toMatchObject({
			retryable: 'always',
		});
		await expect(withRetries(createAttempt('notStarted'), { isSend: true })).rejects.toThrow(
			NotStartedError,
		);
	});

	test('ends the delay when the signal is aborted', async () => {
		jest.useFakeTimers();
		const controller = new AbortController();
		const attempt = createAttempt({ status: 429, retryAfter: 60_000 }, 'ok');
		const result = withRetries(attempt, { isSend: true, signal: controller.signal });
		const rejection = expect(result).rejects.toMatchObject({ retryable: 'always' });
		await jest.advanceTimersByTimeAsync(59_999);
		controller.abort();
		await rejection;
		expect(jest.getTimerCount()).toBe(0);
		expect(attempt).toHaveBeenCalledTimes(1);
		jest.useRealTimers();
	});
});
