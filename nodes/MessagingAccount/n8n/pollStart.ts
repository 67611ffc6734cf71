import type { IPollFunctions } from 'n8n-workflow';

/** The time that n8n allows for a poll outside its scheduler. Older versions tell none, and have no scheduler. */
const UNSCHEDULED_MS = 300_000;

/** Returns the ms that n8n allows for a poll; undefined in versions without a limit. */
export const getPollBudget = (context: Partial<IPollFunctions>) => context.getPollBudgetMs?.();

/** The last publication of each trigger in this process. Two nodes of a workflow never share a name, but after an import perhaps an ID. */
const latest = new Map<string, symbol>();

/** The publication to which each poll's context belongs. n8n makes one for each publication or, in its scheduler, for each poll. */
const publicationOf = new WeakMap<IPollFunctions, symbol | undefined>();

/**
 * How a poll begins: `publication` is the one that n8n makes when the workflow is published, or when n8n starts. If it throws, n8n takes the
 * publication back, even that of the version before. `scheduled` begins, like that, with what n8n has stored; `next` with what the last
 * poll has left in memory.
 */
export function beginPoll(context: IPollFunctions): 'publication' | 'scheduled' | 'next' {
	const isScheduled = (getPollBudget(context) ?? UNSCHEDULED_MS) !== UNSCHEDULED_MS;
	if (publicationOf.has(context) || context.getMode() === 'manual')
		return isScheduled ? 'scheduled' : 'next';
	if (!isScheduled) latest.set(createKey(context), Symbol());
	publicationOf.set(context, latest.get(createKey(context)));
	return isScheduled ? 'scheduled' : 'publication';
}

/** Whether the trigger was published again since: n8n drops what this poll finds, and after an import makes both polls for good. */
export function isSuperseded(context: IPollFunctions): boolean {
	return (
		publicationOf.has(context) && publicationOf.get(context) !== latest.get(createKey(context))
	);
}

function createKey(context: IPollFunctions): string {
	return JSON.stringify([context.getWorkflow().id, context.getNode().name]);
}
