import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { begun, createNodeKey } from './publication';
import { isObject } from '../shared/fields';

/** In the workflow's global static data: the states of its triggers, by node ID and event. */
const BY_NODE_ID = 'messagingAccountTrigger';

interface StoredState {
	/** The node that stored it. */
	nodeId: string;
	nodeName: string;
	/** Time of the poll, ISO 8601. */
	polledAt: string;
	/** What still has to come out. It may be large, so it is stored under the ID only. */
	held?: unknown;
}

/**
 * What must always be true: a poll knows what earlier polls have emitted, and nothing else. n8n saves static data together with the
 * items that a poll emits, and drops both if the workflow is published anew meanwhile. With its scheduler, each poll has a copy of
 * the whole workflow's static data, and may undo what a poll of another trigger has saved. So a poll also knows what this process
 * has stored, by workflow, node and event, since the trigger was published.
 */
export const storedHere = new Map<string, { state: StoredState; publication: unknown }>();

/**
 * Returns what the last poll of an event stored; undefined before the first one. n8n keeps static data under the name of the node.
 * Here it is under its ID, too: a renamed node finds its state, and a new node with an old name does not take that node's state for
 * its own. If two nodes have one ID, their names tell them apart.
 */
export function readTriggerState(context: IPollFunctions, event: string): unknown {
	const { id, name } = context.getNode();
	const here = storedHere.get(createKey(context, event));
	const byName = getStaticData(context, 'node')[event] as StoredState | null | undefined;
	const states = getStaticData(context, 'global')[BY_NODE_ID] as IDataObject | undefined;
	const byId = (states?.[toKey(id)] as Record<string, StoredState> | undefined)?.[event];
	const isOwn = ({ nodeId, nodeName }: StoredState) =>
		nodeId === id && (nodeName === name || context.getChildNodes(String(nodeName)).length === 0);
	// With durable cursors, n8n saves the one under the name more often.
	const [latest] = [byId, byName, here?.publication === begun.get(context) ? here?.state : null]
		.flatMap((state) => (state && isOwn(state) ? [state] : []))
		.sort((a, b) => String(b.polledAt).localeCompare(String(a.polledAt)));
	return latest && latest === byName ? { ...latest, held: byId?.held } : latest;
}

/** n8n saves it together with the items that the poll emits, and when the workflow is published. */
export function storeTriggerState(
	context: IPollFunctions,
	event: string,
	state: Pick<StoredState, 'polledAt' | 'held'> & Record<string, unknown>,
): void {
	const { id, name } = context.getNode();
	const stored = { ...state, nodeId: id, nodeName: name };
	getStaticData(context, 'node')[event] = { ...stored, held: undefined };
	// Nothing that is stored already is assigned again: n8n would wrap it in one more proxy each time.
	const global = getStaticData(context, 'global');
	if (!isObject(global[BY_NODE_ID])) global[BY_NODE_ID] = {};
	const states = global[BY_NODE_ID] as Record<string, IDataObject>;
	if (!isObject(states[toKey(id)])) states[toKey(id)] = {};
	states[toKey(id)][event] = { ...stored };
	storedHere.set(createKey(context, event), { state: stored, publication: begun.get(context) });
}

/** Of what somebody has entered there instead, nothing can be kept. */
function getStaticData(context: IPollFunctions, type: 'node' | 'global'): IDataObject {
	const data: unknown = context.getWorkflowStaticData(type);
	return isObject(data) ? data : {};
}

/** An ID from outside may be the name of what each object has, e.g. `__proto__`. */
function toKey(nodeId: string): string {
	return `node ${nodeId}`;
}

const createKey = (context: IPollFunctions, event: string) => `${createNodeKey(context)} ${event}`;
