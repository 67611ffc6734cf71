import { ApiError, NotStartedError } from '../errors/errorClasses';
import { sleepUnlessAborted } from '../shared/sleep';

const MAX_ATTEMPTS = 3;

/** The longest delay before the second attempt; it doubles with each further one. */
const INITIAL_DELAY_MS = 1000;

/** The longest delay. If the service asks for a longer one, there is no retry, because it would come too early. */
const MAX_DELAY_MS = 60_000;

/**
 * Returns the delay before the next attempt: the one that the service asks for, otherwise exponential back-off with full jitter.
 *
 * @param attempts made so far
 * @param isSend whether the request reaches a person
 * @param random from 0 up to 1
 * @returns ms; undefined if the request must not be retried
 */
export function getRetryDelay(
	{ retryable, retryAfter }: Pick<ApiError, 'retryable' | 'retryAfter'>,
	attempts: number,
	isSend: boolean,
	random: number,
): number | undefined {
	const isRetryable = retryable === 'always' || (retryable === 'reads' && !isSend);
	if (!isRetryable || attempts >= MAX_ATTEMPTS) return undefined;
	const delay = retryAfter ?? random * INITIAL_DELAY_MS * 2 ** (attempts - 1);
	return delay > MAX_DELAY_MS ? undefined : delay;
}

/**
 * Runs `attempt`, retrying errors that are safe to retry.
 *
 * @param attempt makes the request once; may throw NotStartedError
 * @param signal ends the delay between two attempts; the last error is then thrown
 * @param getTimeLeft in ms; a delay that would use all of it does not begin, and the last error is thrown
 * @throws ApiError of the last attempt, or whatever else `attempt` throws
 */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{
		isSend,
		signal,
		getTimeLeft = () => Infinity,
	}: { isSend: boolean; signal?: AbortSignal; getTimeLeft?: () => number },
): Promise<T> {
	let lastError: ApiError | undefined;
	for (let attempts = 1; ; attempts++) {
		try {
			return await attempt();
		} catch (error) {
			if (error instanceof NotStartedError && lastError) throw lastError;
			if (!(error instanceof ApiError)) throw error as Error;
			lastError = error;
			if (attempts > 1) lastError.notes.push(`Tried ${attempts} times.`);
			const delay = getRetryDelay(lastError, attempts, isSend, Math.random());
			if (delay === undefined || delay >= getTimeLeft()) throw lastError;
			if (!(await sleepUnlessAborted(delay, signal))) throw lastError;
		}
	}
}
