import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { getPollBudget } from '../n8n/pollStart';
import type { Choice } from '../parameters/chooser';
import { createAccountKey } from '../secrets/account';
import { ServiceClient } from '../transport/request';
import type { TriggerState } from './triggerState';

/** One event of the trigger. To add one, write its file and name it in `MessagingAccountTrigger.node.ts`. */
export interface TriggerEvent extends Choice {
	/** Polls once, stores its state, and returns the items of each output; null if nothing happened. @throws InvalidInputError, ApiError */
	poll(context: IPollFunctions, state: TriggerState): Promise<INodeExecutionData[][] | null>;
}

/** Shorter than the shortest interval of polls, a minute, so that a poll ends before the next one begins. */
export const MAX_POLL_MS = 55_000;

export type PollClient = Awaited<ReturnType<typeof openPollClient>>;

/** Begins a poll, whose requests are retried while there is time. @throws InvalidInputError if a field of the credential cannot be used */
export async function openPollClient(context: IPollFunctions) {
	const deadline = performance.now() + Math.min(getPollBudget(context) ?? Infinity, MAX_POLL_MS);
	/** The ms until the poll must end. */
	const getTimeLeft = () => deadline - performance.now();
	const client = new ServiceClient(context);
	const read = client.createRead(0, () => Math.max(1, getTimeLeft()), { getTimeLeft });
	return { accountKey: createAccountKey(await client.getAccount(0)), read, getTimeLeft };
}
