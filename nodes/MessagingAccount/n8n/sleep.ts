import * as n8n from 'n8n-workflow';

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** n8n's own sleep, which throws if the signal is aborted meanwhile. Until about n8n 2.30, only a helper of another name takes a signal. */
export const sleep: Sleep = (n8n as { sleepWithAbort?: Sleep }).sleepWithAbort ?? n8n.sleep;

/** Sleeps unless the signal is aborted. @returns false if it is, before or during the sleep */
export async function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<boolean> {
	if (ms > 0 && !signal?.aborted) await sleep(ms, signal).catch(() => {});
	return !signal?.aborted;
}
