import type { IPollFunctions } from 'n8n-workflow';

import { createAccountKey } from '../shared/account';
import { apiRequest, loadCredential, type Read } from '../transport/request';
import { withRetries } from '../transport/retry';

/** Shorter than the shortest interval of polls, a minute, so that a poll ends before the next one begins. */
export const MAX_POLL_MS = 55_000;

/**
 * Begins a poll. Its requests are retried while there is time.
 *
 * @returns the key of the account, the function that makes requests, and the one that returns the ms until the poll must end
 * @throws InvalidInputError if a field of the credential cannot be used
 */
export async function openPollClient(context: IPollFunctions) {
	// n8n's own limit, in versions that have one.
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? MAX_POLL_MS;
	const deadline = Date.now() + Math.min(budget, MAX_POLL_MS);
	const getTimeLeft = () => deadline - Date.now();
	const credential = await loadCredential(context);
	const read: Read = async (request) =>
		await withRetries(
			async () => await apiRequest(context, credential, request, Math.max(1, getTimeLeft())),
			{ isSend: false, getTimeLeft },
		);
	return { accountKey: createAccountKey(credential.account), read, getTimeLeft };
}
