import type { IDataObject, IPollFunctions } from 'n8n-workflow';

/** In the workflow's global static data: the states of its triggers, by node ID and event. */
const BY_NODE_ID = 'messagingAccountTrigger';

interface StoredState {
	/** Of the node that stored it. Absent if an earlier version did. */
	nodeId?: string;
	/** Time of the poll, ISO 8601. */
	polledAt?: string;
}

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
	const isOfOther = byName?.nodeId !== undefined && byName.nodeId !== id;
	if (!byId) return isOfOther ? undefined : byName;
	// With durable cursors, n8n saves the one under the name more often.
	const isNewer = byName?.nodeId === id && String(byName.polledAt) > String(byId.polledAt);
	return isNewer ? byName : byId;
}

/** n8n saves it together with the items that the poll emits, and when the workflow is published. */
export function storeTriggerState(context: IPollFunctions, event: string, state: object): void {
	const { id } = context.getNode();
	context.getWorkflowStaticData('node')[event] = { ...state, nodeId: id };
	// Nothing that is stored already is assigned again: n8n would wrap it in one more proxy each time.
	const global = context.getWorkflowStaticData('global');
	global[BY_NODE_ID] ??= {};
	const states = global[BY_NODE_ID] as IDataObject;
	states[id] ??= {};
	(states[id] as IDataObject)[event] = { ...state, nodeId: id };
}
