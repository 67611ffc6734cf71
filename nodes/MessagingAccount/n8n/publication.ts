import type { IPollFunctions } from 'n8n-workflow';

import { ApiError } from '../errors/errorClasses';

/** The contexts of polls that have begun. */
export const begun = new WeakSet<IPollFunctions>();

/**
 * Whether this poll is the one that n8n makes when the workflow is published, or n8n starts. It polls with the same context
 * from then on or, in its scheduler, with others. If that poll throws, n8n takes the publication back, also of the version before.
 */
export function beginsPublication(context: IPollFunctions): boolean {
	if (begun.has(context) || context.getMode() === 'manual' || holdsLease(context)) return false;
	begun.add(context);
	return true;
}

/**
 * Whether the service is to blame for a failed poll, so that the workflow can be published nevertheless: the next poll will tell. Without
 * a state of earlier polls, a refusal may be due to a wrong credential.
 */
export function isFaultOfService(error: unknown, hasState: boolean): error is ApiError {
	return error instanceof ApiError && (hasState || error.retryable !== 'never');
}

/** How long n8n allows a poll to take that holds no lease of its scheduler. */
const NO_LEASE_MS = 300_000;

/** Whether n8n's scheduler makes this poll. */
export function holdsLease(context: IPollFunctions): boolean {
	// Older versions of n8n have no limit.
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? NO_LEASE_MS;
	return budget !== NO_LEASE_MS;
}
