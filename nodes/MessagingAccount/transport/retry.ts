import { ApiError } from '../errors/errorClasses';
import { sleepUnlessAborted } from '../n8n/sleep';

const MAX_ATTEMPTS = 3;

/** The longest delay before the second attempt; it doubles with each further one. */
const INITIAL_DELAY_MS = 1000;

/** The longest delay. If the service asks for a longer one, there is no retry, because it would come too early. */
const MAX_DELAY_MS = 60_000;

/** `signal` ends a delay; one that would use all of `getTimeLeft`, in ms, does not begin. */
export type RetryLimits = { signal?: AbortSignal; getTimeLeft?: () => number };

/** Retries what is safe to retry, after the delay that the service asks for or else exponential back-off with full jitter. */
export async function withRetries<T>(
	attempt: () => Promise<T>,
	{ isSend, signal, getTimeLeft = () => Infinity }: { isSend: boolean } & RetryLimits,
): Promise<T> {
	let lastError: ApiError | undefined;
	for (let attempts = 1; ; attempts++) {
		try {
			return await attempt();
		} catch (error) {
			// What keeps a later attempt from being made says less than the one before.
			if (!(error instanceof ApiError)) throw lastError ?? (error as Error);
			lastError = error;
			if (attempts > 1) error.notes.push(`Tried ${attempts} times.`);
			const isSafe = error.retryable === 'always' || (error.retryable === 'reads' && !isSend);
			const delay = error.retryAfter ?? Math.random() * INITIAL_DELAY_MS * 2 ** (attempts - 1);
			if (!isSafe || attempts === MAX_ATTEMPTS || delay > MAX_DELAY_MS) throw lastError;
			if (delay >= getTimeLeft() || !(await sleepUnlessAborted(delay, signal))) throw lastError;
		}
	}
}
