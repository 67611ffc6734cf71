import type { IDataObject, IPollFunctions } from 'n8n-workflow';

import { begun, createNodeKey } from '../n8n/publication';
import { isObject } from '../shared/fields';

/** The field in the workflow's global static data with the states of its triggers, by node ID and event. */
const BY_NODE_ID = 'messagingAccountTrigger';

interface StoredState {
	nodeId: string;
	nodeName: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** The messages that are still to be emitted. They may be large, so they are stored under the ID only. */
	held?: unknown;
}

/**
 * The states that this process has stored, by workflow, node and event. This must always be true: a poll knows what earlier polls have
 * emitted, and nothing else. n8n saves static data together with the items that a poll emits, and drops both if the workflow is published
 * anew meanwhile. With its scheduler, each poll has a copy of the whole workflow's static data, and may undo what a poll of another trigger
 * has saved. So a poll also reads the states stored here since the trigger was published.
 */
export const storedHere = new Map<string, { state: StoredState; publication: unknown }>();

export type TriggerState = ReturnType<typeof openTriggerState>;

/**
 * Opens the state of a trigger's polls for an event. n8n keeps static data under the name of the node. The state is also under its ID: a
 * renamed node finds it, and a new node with an old name does not take another's. If two nodes have the same ID, their names count.
 */
export function openTriggerState(context: IPollFunctions, event: string) {
	const { id, name } = context.getNode();
	const key = `${createNodeKey(context)} ${event}`;
	// The ID comes from outside, and may be a name that every object has, e.g. `__proto__`.
	const idKey = `node ${id}`;
	const isOwn = ({ nodeId, nodeName }: StoredState) =>
		nodeId === id && (nodeName === name || context.getChildNodes(String(nodeName)).length === 0);
	return {
		/** Returns the state that the last poll stored; undefined before the first one. */
		read(): unknown {
			const here = storedHere.get(key);
			const byName = getStaticData(context, 'node')[event] as StoredState | null | undefined;
			const states = getStaticData(context, 'global')[BY_NODE_ID] as IDataObject | undefined;
			const byId = (states?.[idKey] as Record<string, StoredState> | undefined)?.[event];
			// With durable cursors, n8n saves the state under the name more often.
			const [latest] = [byId, byName, here?.publication === begun.get(context) ? here?.state : null]
				.flatMap((state) => (state && isOwn(state) ? [state] : []))
				.sort((a, b) => String(b.polledAt).localeCompare(String(a.polledAt)));
			return latest && latest === byName ? { ...latest, held: byId?.held } : latest;
		},

		/** Stores the state, which n8n saves with the items that the poll emits, and when the workflow is published. */
		store(state: Pick<StoredState, 'polledAt' | 'held'> & Record<string, unknown>): void {
			const stored = { ...state, nodeId: id, nodeName: name };
			getStaticData(context, 'node')[event] = { ...stored, held: undefined };
			// Nothing that is stored already is assigned again: n8n would wrap it in one more proxy each time.
			const global = getStaticData(context, 'global');
			if (!isObject(global[BY_NODE_ID])) global[BY_NODE_ID] = {};
			const states = global[BY_NODE_ID] as Record<string, IDataObject>;
			if (!isObject(states[idKey])) states[idKey] = {};
			states[idKey][event] = { ...stored };
			storedHere.set(key, { state: stored, publication: begun.get(context) });
		},
	};
}

/** Returns static data; an empty object if somebody has entered something else there. */
function getStaticData(context: IPollFunctions, type: 'node' | 'global'): IDataObject {
	const data: unknown = context.getWorkflowStaticData(type);
	return isObject(data) ? data : {};
}
