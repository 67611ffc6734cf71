import * as n8n from 'n8n-workflow';

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Until about n8n 2.30, `sleep` takes no signal, and a helper of another name does. */
const { sleepWithAbort = n8n.sleep } = n8n as { sleepWithAbort?: Sleep };

/**
 * n8n's own sleep.
 *
 * @throws if the signal is aborted before the time is over
 */
export const sleep: Sleep = sleepWithAbort;

/** @returns false if the signal is aborted, before or during the sleep */
export async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<boolean> {
	if (ms > 0 && !signal?.aborted) await sleep(ms, signal).catch(() => {});
	return !signal?.aborted;
}
