import type { IPollFunctions } from 'n8n-workflow';

/** The time that n8n allows for a poll outside its scheduler. */
const UNSCHEDULED_MS = 300_000;

/** Returns the ms that n8n allows for a poll; undefined in versions without a limit. */
export const getPollBudget = (context: Partial<IPollFunctions>) => context.getPollBudgetMs?.();

/** The context of the poll that n8n made when the trigger was last published, by workflow and node. */
export const published = new Map<string, IPollFunctions>();

/** For each poll's context, the entry of `published` at its start. Set anew at each poll, as n8n may reuse a context. */
export const begun = new WeakMap<IPollFunctions, IPollFunctions | undefined>();

/**
 * Whether this poll is the one that n8n makes when the workflow is published, or when n8n starts. Later polls have the same context or, in
 * n8n's scheduler, other ones. If this poll throws, n8n takes the publication back, even that of the version before.
 */
export function beginsPublication(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual') return false;
	const budget = getPollBudget(context) ?? UNSCHEDULED_MS;
	const isPublication = budget === UNSCHEDULED_MS && !begun.has(context);
	const key = createNodeKey(context);
	if (isPublication) published.set(key, context);
	begun.set(context, published.get(key));
	return isPublication;
}

/** Whether the trigger was published anew since this poll began. Its findings are then left to the first poll of that publication. */
export function isSuperseded(context: IPollFunctions): boolean {
	return begun.has(context) && begun.get(context) !== published.get(createNodeKey(context));
}

export function createNodeKey(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	return JSON.stringify([context.getWorkflow().id, id, name]);
}
