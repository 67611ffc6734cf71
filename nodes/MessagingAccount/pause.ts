import * as n8n from 'n8n-workflow';

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>;

/** Until about 2.30, n8n's `sleep` takes no signal, and another helper does. */
const { sleepWithAbort = n8n.sleep } = n8n as { sleepWithAbort?: Sleep };

/**
 * n8n's own sleep.
 *
 * @param signal ends it early
 * @throws where the signal is aborted before the time is over
 */
export const pause: Sleep = sleepWithAbort;
