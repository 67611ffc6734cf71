import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../shared/fields';

/** The beginning of the fields in the workflow's global static data with the states of its triggers. */
const PREFIX = 'messagingAccountTrigger';

/** Returns the field with the states of an event of all nodes with this ID: several have one ID e.g. after an import. */
export const toFieldName = (nodeId: string, event: string) => `${PREFIX} ${nodeId} ${event}`;

/** The names of these fields never change. */
export interface StoredState {
	nodeName: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** The `polledAt` of the state that this one continues: the one under an old name of the node or, in a cursor, the one in static data. */
	took?: string;
}

/** Lists the states in a field. Somebody may have entered anything there. */
function listStates(global: IDataObject, field: string): StoredState[] {
	const states = global[field];
	return (Array.isArray(states) ? states : []).filter(isObject) as never;
}

/**
 * Finds the latest state of a node, which is called A now.
 *
 * | states with its ID | its own is that of |
 * | --- | --- |
 * | A, and B that took A's, but no node is called B now | B: so it was called in between |
 * | A, and others | A: the others are of other nodes |
 * | B | B: so it was called until now |
 */
export function findOwn(
	global: IDataObject,
	field: string,
	name: string,
	exists: (nodeName: string) => boolean,
) {
	const states = listStates(global, field);
	const own = states.find(({ nodeName }) => nodeName === name);
	if (!own) return states.at(0);
	return states.find((one) => one.took === own.polledAt && !exists(one.nodeName)) ?? own;
}

/**
 * Lists the states of other nodes with the same ID, perhaps deleted ones. A name with a state elsewhere, too, is an earlier one of this node:
 * now, a node with another ID has it.
 */
export function listOthers(global: IDataObject, field: string, name: string): StoredState[] {
	const event = field.slice(field.lastIndexOf(' '));
	const isElsewhere = (one: string) => one.startsWith(PREFIX) && one.endsWith(event);
	const elsewhere = Object.keys(global).filter((one) => one !== field && isElsewhere(one));
	const states = elsewhere.flatMap((one) => listStates(global, one));
	const names = [name, ...states.map(({ nodeName }) => nodeName)];
	return listStates(global, field).filter(({ nodeName }) => !names.includes(nodeName));
}
