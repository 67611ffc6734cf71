import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classify';
import { NotStartedError } from '../../../../nodes/MessagingAccount/errors/notStartedError';
import { getRetryDelay, withRetries } from '../../../../nodes/MessagingAccount/transport/retry';

const failureAfter = (result: RequestResult) => new ApiError('x', { description: 'x', result });

describe('the wait before another try', () => {
	const wait = (ending: RequestResult, tries: number, { isSend = false, random = 0.5 } = {}) =>
		getRetryDelay(failureAfter(ending), tries, isSend, random);

	test('doubles, with full jitter', () => {
		expect(wait({ status: 500 }, 1, { random: 0 })).toBe(0);
		expect(wait({ status: 500 }, 1, { random: 0.999 })).toBeCloseTo(999);
		expect(wait({ status: 500 }, 2, { random: 0 })).toBe(0);
		expect(wait({ status: 500 }, 2, { random: 0.999 })).toBeCloseTo(1998);
	});

	test('ends with the third try', () => {
		expect(wait({ status: 500 }, 3)).toBeUndefined();
		expect(wait({ status: 429, retryAfter: 0 }, 3)).toBeUndefined();
	});

	test('is what the service asks for, up to a minute', () => {
		expect(wait({ status: 429, retryAfter: 0 }, 1)).toBe(0);
		expect(wait({ status: 429, retryAfter: 60_000 }, 1)).toBe(60_000);
		expect(wait({ status: 503, retryAfter: 7000 }, 2, { isSend: true })).toBe(7000);
		expect(wait({ status: 429, retryAfter: 61_000 }, 1)).toBeUndefined();
	});

	test('is not for what would fail again', () => {
		expect(wait({ status: 404 }, 1)).toBeUndefined();
		expect(wait('unusable', 1)).toBeUndefined();
	});

	test('is only for a send that the service cannot have', () => {
		expect(wait({ status: 500 }, 1, { isSend: true })).toBeUndefined();
		expect(wait({ code: 'ECONNRESET' }, 1, { isSend: true })).toBeUndefined();
		expect(wait({ code: 'ECONNREFUSED' }, 1, { isSend: true })).toBe(500);
	});
});

describe('tries', () => {
	const REFUSED: RequestResult = { status: 429, retryAfter: 0 };

	function attempts(...results: Array<RequestResult | 'ok' | 'notStarted'>) {
		const attempt = jest.fn(async () => {
			const result = results[attempt.mock.calls.length - 1];
			if (result === 'notStarted') throw new NotStartedError();
			if (result !== 'ok') throw failureAfter(result);
			return 'done';
		});
		return attempt;
	}

	test('go on until one succeeds', async () => {
		const attempt = attempts(REFUSED, REFUSED, 'ok');
		expect(await withRetries(attempt, { isSend: true })).toBe('done');
		expect(attempt).toHaveBeenCalledTimes(3);
	});

	test('end with the failure of the third, which tells of it', async () => {
		const attempt = attempts(REFUSED, REFUSED, REFUSED, 'ok');
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
	])('with a wait of %d ms, and time for %d, are %d', async (retryAfter, time, count) => {
		const attempt = attempts({ status: 429, retryAfter }, 'ok');
		await withRetries(attempt, { isSend: false, getTimeLeft: () => time }).catch(() => {});
		expect(attempt).toHaveBeenCalledTimes(count);
	});

	test('end with a failure that is not worth another', async () => {
		const attempt = attempts({ status: 500 }, 'ok');
		await expect(withRetries(attempt, { isSend: true })).rejects.toMatchObject({ notes: [] });
		expect(attempt).toHaveBeenCalledTimes(1);
	});

	test('end with the last failure when nothing may start any more', async () => {
		const attempt = attempts(REFUSED, 'notStarted');
		await expect(withRetries(attempt, { isSend: true })).rejects.toMatchObject({
			retryable: 'always',
		});
		await expect(withRetries(attempts('notStarted'), { isSend: true })).rejects.toThrow(
			NotStartedError,
		);
	});

	test('do not wait any longer once they are halted', async () => {
		jest.useFakeTimers();
		const halt = new AbortController();
		const attempt = attempts({ status: 429, retryAfter: 60_000 }, 'ok');
		const result = withRetries(attempt, { isSend: true, signal: halt.signal });
		const refusal = expect(result).rejects.toMatchObject({ retryable: 'always' });
		await jest.advanceTimersByTimeAsync(59_999);
		halt.abort();
		await refusal;
		expect(jest.getTimerCount()).toBe(0);
		expect(attempt).toHaveBeenCalledTimes(1);
		jest.useRealTimers();
	});
});
