import type { IDataObject, IPollFunctions } from 'n8n-workflow';

/** In the workflow's global static data: the states of its triggers, by node ID and event. */
const BY_NODE_ID = 'messagingAccountTrigger';

/** n8n's scheduler prepares a poll that much before it begins, at most. */
const RECENT_MS = 5000;

interface StoredState {
	/** Of the node that stored it. */
	nodeId: string;
	/** Time of the poll, ISO 8601. */
	polledAt: string;
}

/**
 * What polls of this process stored a moment ago, with the time, by workflow, node and event. n8n's scheduler gives each poll its
 * own copy of the static data, and may have made it before it saved what the last poll stored.
 */
export const recentStates = new Map<string, { state: StoredState; storedAt: number }>();

/**
 * Returns what the last poll of an event stored. n8n keeps static data under the name of the node. Here it is under its ID, too:
 * a renamed node finds its state, and a new node with an old name does not take that node's state for its own.
 *
 * @param event its value
 * @returns undefined before the first poll
 */
export function readTriggerState(context: IPollFunctions, event: string): unknown {
	const { id } = context.getNode();
	const byName = context.getWorkflowStaticData('node')[event] as StoredState | null | undefined;
	const states = context.getWorkflowStaticData('global')[BY_NODE_ID] as IDataObject | undefined;
	const byId = (states?.[id] as Record<string, StoredState> | undefined)?.[event];
	const recent = recentStates.get(createKey(context, event));
	const isRecent = recent !== undefined && Date.now() - recent.storedAt < RECENT_MS;
	// With durable cursors, n8n saves the one under the name more often.
	const [latest] = [byId, byName, isRecent ? recent.state : undefined]
		.flatMap((state) => (state?.nodeId === id ? [state] : []))
		.sort((a, b) => b.polledAt.localeCompare(a.polledAt));
	return latest;
}

/** n8n saves it together with the items that the poll emits, and when the workflow is published. */
export function storeTriggerState(
	context: IPollFunctions,
	event: string,
	state: Omit<StoredState, 'nodeId'> & Record<string, unknown>,
): void {
	const { id } = context.getNode();
	context.getWorkflowStaticData('node')[event] = { ...state, nodeId: id };
	// Nothing that is stored already is assigned again: n8n would wrap it in one more proxy each time.
	const global = context.getWorkflowStaticData('global');
	global[BY_NODE_ID] ??= {};
	const states = global[BY_NODE_ID] as IDataObject;
	states[id] ??= {};
	(states[id] as IDataObject)[event] = { ...state, nodeId: id };

	const now = Date.now();
	for (const [key, { storedAt }] of recentStates) {
		if (now - storedAt >= RECENT_MS) recentStates.delete(key);
	}
	recentStates.set(createKey(context, event), { state: { ...state, nodeId: id }, storedAt: now });
}

function createKey(context: IPollFunctions, event: string): string {
	return `${context.getWorkflow().id} ${context.getNode().id} ${event}`;
}
