import { ApiError, NotStartedError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classifyResult';
import * as clock from '../../../../nodes/MessagingAccount/n8n/sleep';
import { withRetries } from '../../../../nodes/MessagingAccount/transport/retry';

afterEach(() => jest.restoreAllMocks());

const createError = (result: RequestResult) => new ApiError('x', { description: 'x', result });

/** With a random number, which a delay that the service asks for ignores. */
test.each<[RequestResult, isSend: boolean, random: number, delays: number[]]>([
	// They double, with full jitter.
	[{ status: 500 }, false, 0, [0, 0]],
	[{ status: 500 }, false, 0.999, [999, 1998]],
	// They are those that the service asks for, up to a minute.
	[{ status: 429, retryAfter: 0 }, false, 0.5, [0, 0]],
	[{ status: 429, retryAfter: 60_000 }, false, 0.5, [60_000, 60_000]],
	[{ status: 429, retryAfter: 61_000 }, false, 0.5, []],
	[{ status: 503, retryAfter: 7000 }, true, 0.5, [7000, 7000]],
	// There are none for an error that would occur again, nor for a send that the service may have received.
	[{ status: 404 }, false, 0.5, []],
	['unusable', false, 0.5, []],
	[{ status: 500 }, true, 0.5, []],
	[{ code: 'ECONNRESET' }, true, 0.5, []],
	[{ code: 'ECONNREFUSED' }, true, 0.5, [500, 1000]],
])('after %j, of a send: %s (%d), the delays are %j', async (result, isSend, random, expected) => {
	const delays: number[] = [];
	jest.spyOn(Math, 'random').mockReturnValue(random);
	jest.spyOn(clock, 'sleepUnlessAborted').mockImplementation(async (ms) => delays.push(ms) < 9);
	const execution = withRetries(() => Promise.reject(createError(result)), { isSend });
	const notes = expected.length > 0 ? ['Tried 3 times.'] : [];
	await expect(execution).rejects.toMatchObject({ message: 'x', notes });
	expect(delays).toEqual(expected);
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

	test.each([0, 20])('after %d ms, makes another attempt only if more is left', async (ms) => {
		for (const more of [0, 1]) {
			const attempt = createAttempt({ status: 429, retryAfter: ms }, 'ok');
			const getTimeLeft = () => ms + more;
			await withRetries(attempt, { isSend: false, getTimeLeft }).catch(() => {});
			expect(attempt).toHaveBeenCalledTimes(1 + more);
		}
	});

	test('throws the last error if no further attempt may start', async () => {
		const start = async (...results: Parameters<typeof createAttempt>) =>
			await withRetries(createAttempt(...results), { isSend: true });
		await expect(start(REFUSED, 'notStarted')).rejects.toMatchObject({ retryable: 'always' });
		await expect(start('notStarted')).rejects.toThrow(NotStartedError);
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
