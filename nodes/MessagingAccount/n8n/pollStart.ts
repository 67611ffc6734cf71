import type { IPollFunctions } from 'n8n-workflow';

/** The time that n8n allows for a poll outside its scheduler. Older versions tell none, and have no scheduler. */
const UNSCHEDULED_MS = 300_000;

/** Returns the ms that n8n allows for a poll; undefined in versions without a limit. */
export const getPollBudget = (context: Partial<IPollFunctions>) => context.getPollBudgetMs?.();

/** The last publication of each trigger in this process. Two nodes of a workflow never share a name, but after an import perhaps an ID. */
const latestPublication = new Map<string, symbol>();

/** The publication to which each poll's context belongs. n8n makes one for each publication or, in its scheduler, for each poll. */
const publicationOf = new WeakMap<IPollFunctions, symbol | undefined>();

/**
 * Says how a poll begins, and notes to which publication it belongs.
 *
 * | it is made by | its context | it begins as |
 * | --- | --- | --- |
 * | a person, with 'Fetch Test Event' | any | `test` |
 * | n8n's scheduler | any | `scheduled`, with what n8n has stored |
 * | another part of n8n | new | `publication`, with the same: if it throws, n8n takes the publication back, even that of the version before |
 * | another part of n8n | known | `next`, with what the last poll has left in memory |
 */
export function beginPoll(context: IPollFunctions): 'test' | 'publication' | 'scheduled' | 'next' {
	if (context.getMode() === 'manual') return 'test';
	const isScheduled = (getPollBudget(context) ?? UNSCHEDULED_MS) !== UNSCHEDULED_MS;
	const isNew = !publicationOf.has(context);
	if (isNew && !isScheduled) latestPublication.set(createKey(context), Symbol());
	if (isNew) publicationOf.set(context, latestPublication.get(createKey(context)));
	if (isScheduled) return 'scheduled';
	return isNew ? 'publication' : 'next';
}

/** Whether the trigger was published again since: n8n drops what this poll finds, and after an import makes both polls for good. */
export function isSuperseded(context: IPollFunctions): boolean {
	if (!publicationOf.has(context)) return false;
	return publicationOf.get(context) !== latestPublication.get(createKey(context));
}

const createKey = (context: IPollFunctions) =>
	JSON.stringify([context.getWorkflow().id, context.getNode().name]);
