import type { IPollFunctions } from 'n8n-workflow';

import type { Account } from '../service/account';
import { exchange, openSession, type Read } from '../service/request';
import { inTries } from '../service/tries';
import { shortHash } from '../shortHash';

/** The shortest interval of polls is a minute: one is over before the next. */
const LONGEST_POLL_MS = 55_000;

/** What a poll reads with. */
export interface Reader {
	account: Account;
	read: Read;
	/** ms until the poll has to end. */
	timeLeft(): number;
}

/**
 * Begins a poll: what it reads is tried again where that is worth it, as long as there is time.
 *
 * @throws InvalidInput where a field of the credential cannot be used
 */
export async function openReader(context: IPollFunctions): Promise<Reader> {
	// n8n's own limit, in the versions that have one.
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? LONGEST_POLL_MS;
	const deadline = Date.now() + Math.min(budget, LONGEST_POLL_MS);
	const timeLeft = () => deadline - Date.now();
	const session = await openSession(context);
	const { account } = session;
	const read: Read = async (request) =>
		await inTries(
			async () => ({
				body: await exchange(context, session, request, Math.max(1, timeLeft())),
				account,
			}),
			{ isSend: false, longestWait: timeLeft },
		);
	return { account, read, timeLeft };
}

/** Tells accounts apart, without saying which they are. Another token is the same account. */
export function accountKey({ baseUrl, clientId }: Account): string {
	return shortHash(`${new URL(baseUrl).href} ${clientId}`);
}
