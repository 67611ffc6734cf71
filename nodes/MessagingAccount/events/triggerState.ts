import { deepCopy, type IPollFunctions } from 'n8n-workflow';

import type { beginPoll } from '../n8n/publication';
import { isObject } from '../shared/fields';

/** The beginning of the fields in the workflow's global static data with the states of its triggers. */
const PREFIX = 'messagingAccountTrigger';

interface StoredState {
	nodeName: string;
	/** The time of the poll, in ISO 8601. */
	polledAt: string;
	/** That of the state that it took over when the node had a new name. */
	took?: string;
}

/** The longest that n8n takes to save a state. A trigger that polls as usual does so a minute later. */
const MAX_SAVING_MS = 2000;

/**
 * The last polls of this process that emitted something: they tell that n8n has not kept their state, or not yet. What they have stored is
 * never used.
 */
const lastEmitted = new Map<string, { polledAt: string; at: number }>();

export type TriggerState = ReturnType<typeof openTriggerState>;

/**
 * Opens the state of a trigger's polls for an event. This must always be true: it is one object, in one place, and what n8n has stored with
 * a poll is the only truth. With durable cursors, this is the cursor, which n8n keeps by node ID. Otherwise, n8n saves the static data of
 * the whole workflow with the items that a poll emits. There, the node's ID identifies the state, because n8n would keep it by the name.
 * Only if several nodes have one ID, e.g. after an import, their names count.
 */
export function openTriggerState(
	context: IPollFunctions,
	event: string,
	begin: ReturnType<typeof beginPoll>,
) {
	const { id, name } = context.getNode();
	const key = JSON.stringify([context.getWorkflow().id, id, name, event]);
	// n8n marks static data, to see whether it has changed, but no cursor.
	const nodeData: unknown = context.getWorkflowStaticData('node');
	const cursor = isObject(nodeData) && !('__dataChanged' in nodeData) ? nodeData : undefined;
	const begunAt = performance.now();
	// A field of its own: n8n saves the static data only if one of these was set, whatever changes within.
	const place = `${PREFIX} ${id} ${event}`;
	const global = context.getWorkflowStaticData('global');
	const readPlace = () => toStates(global[place]);
	/** Whether another node has this ID, too, and the name. One that another ID has used since was renamed. */
	const isOther = ({ nodeName }: StoredState) =>
		nodeName !== name &&
		context.getChildNodes(nodeName).length > 0 &&
		!Object.entries(global).some(
			([other, states]) =>
				other !== place &&
				other.startsWith(PREFIX) &&
				other.endsWith(` ${event}`) &&
				toStates(states).some((state) => state.nodeName === nodeName),
		);
	const find = () => {
		const states = readPlace();
		const own = states.find(({ nodeName }) => nodeName === name);
		// The node had another name meanwhile. A new name comes with a publication.
		const heir = begin === 'next' ? undefined : states.find(({ took }) => took === own?.polledAt);
		return { own, state: own ? (heir ?? own) : states.at(0) };
	};
	/** The last poll that emitted something, if it is later than what n8n gives this one. */
	const findLater = () => {
		const last = lastEmitted.get(key);
		return last && (read()?.polledAt ?? '') < last.polledAt ? last : undefined;
	};
	const read = () => (cursor?.[event] ?? find().state) as StoredState | undefined;
	return {
		/** Whether each poll is stored, even if it emits nothing. */
		isDurable: cursor !== undefined,

		/** Returns the state that the last poll stored; undefined before the first one. */
		read: read as () => unknown,

		/** Stores the state. Without a cursor, n8n saves it if the poll emits something, and when the workflow is published. */
		store(state: { polledAt: string }, isEmitted: boolean): void {
			const { own, state: found } = find();
			const took = found === own ? own?.took : found?.polledAt;
			const stored = { ...state, nodeName: name, took };
			if (isEmitted) lastEmitted.set(key, { polledAt: stored.polledAt, at: performance.now() });
			if (cursor) cursor[event] = stored;
			// n8n drops the cursor of a publication without an item, and then saves the static data.
			if (cursor && begin !== 'publication') return;
			// Copied, as n8n would wrap what is stored already in one more proxy each time.
			global[place] = [stored, ...deepCopy(readPlace().filter(isOther))];
		},

		/** Whether another poll has emitted something that n8n had not saved when this one began: its scheduler makes polls at the same time. */
		isOutdated: () => begunAt - (findLater()?.at ?? -Infinity) < MAX_SAVING_MS,

		/** Returns when the last poll of this process that emitted something was made, once, if n8n has not kept its state. */
		findLoss(): string | undefined {
			const later = findLater();
			if (later) lastEmitted.delete(key);
			return later?.polledAt;
		},
	};
}

/** Somebody may have entered anything there. */
function toStates(stored: unknown): StoredState[] {
	return Array.isArray(stored) ? stored.filter(isObject).map((one) => one as never) : [];
}
