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
	const error = createError(result);
	await expect(withRetries(() => Promise.reject(error), { isSend })).rejects.toBe(error);
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
