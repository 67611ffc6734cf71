import type { IPollFunctions } from 'n8n-workflow';

/** How long n8n allows a poll to take that its scheduler does not make. */
const UNSCHEDULED_MS = 300_000;

/** By workflow and node: the context of the poll that n8n made when the trigger was published last. */
export const published = new Map<string, IPollFunctions>();

/** By context of a poll: which of those was the last when it began. Should n8n poll on with an older one, it counts again. */
export const begun = new WeakMap<IPollFunctions, IPollFunctions | undefined>();

/**
 * Whether this poll is the one that n8n makes when the workflow is published, or n8n starts. It polls with the same context
 * from then on or, in its scheduler, with others. If that poll throws, n8n takes the publication back, also of the version before.
 */
export function beginsPublication(context: IPollFunctions): boolean {
	if (context.getMode() === 'manual') return false;
	// Older versions of n8n have no limit.
	const budget = (context as Partial<IPollFunctions>).getPollBudgetMs?.() ?? UNSCHEDULED_MS;
	const isPublication = budget === UNSCHEDULED_MS && !begun.has(context);
	const key = createNodeKey(context);
	if (isPublication) published.set(key, context);
	begun.set(context, published.get(key));
	return isPublication;
}

/** Whether the trigger was published anew since this poll began: what it has found is left to the new one's first poll. */
export function isSuperseded(context: IPollFunctions): boolean {
	return begun.has(context) && begun.get(context) !== published.get(createNodeKey(context));
}

export function createNodeKey(context: IPollFunctions): string {
	const { id, name } = context.getNode();
	return JSON.stringify([context.getWorkflow().id, id, name]);
}
