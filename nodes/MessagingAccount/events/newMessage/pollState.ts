import { deepCopy } from 'n8n-workflow';

import {
	createIdReader,
	createKey,
	type IdField,
	type KeyedMessage,
} from '../../messages/messageKey';
import { sortOldestFirst } from '../../messages/messageOrder';
import type { HeldMessage } from './combineMessages';

/** The state that is stored between two polls, in the workflow's static data. Its field names never change. */
export interface PollState {
	/** The key of the account, from `createAccountKey`. */
	account: string;
	/** Keys of known messages, the oldest first. */
	known: string[];
	idField: IdField;
	/** See `ChosenIdField`. 0 also if the user set that field: it is forgotten when the option is removed. */
	idEvidence: number;
	/** The last warning that was logged about a field that no message has. */
	missingTold?: string;
	/** Whether warnings were logged about different messages with the same ID, and about known messages with a later time. */
	sharingTold?: boolean;
	reuseTold?: boolean;
	/** The end of the list with the newest messages: positive for the first; the farther from 0, the more polls agree. 0 if unknown. */
	order: number;
	/** The hash of the query parameters as entered: other ones ask for another list. */
	asked: string;
	/** The hash of the conditions as entered: n8n has not stored the messages that they left out. Absent in earlier versions. */
	filter?: string;
	/** Times of messages, in ms since 1970; absent if they have none. */
	times?: {
		/** The dot path of the field with the times. */
		field: string;
		/** The time of the oldest message of the first poll: older ones were there before. Absent if it is not known. */
		oldest?: number;
		/** The latest time of all messages so far. */
		newest: number;
	};
	/**
	 * The key of the message up to which the next poll must read on, or up to one known before it, because the last poll did not get that
	 * far, or read pages that may not fit together. Empty if it must read to the end of the list.
	 */
	recheckAfter?: string;
	/** The messages that wait to be combined with others: see `combineMessages`. */
	held?: HeldMessage[];
	/** The time of the last poll, in ISO 8601. */
	polledAt: string;
}

export type StartsOver = 'unreadable' | 'otherAccount' | 'otherQuery' | 'otherFilter';

/**
 * Reads the state that an earlier poll stored: none before the first one. If it was not stored for what is listed now, the trigger has to
 * start over. After a change of the query or the conditions, known messages stay known. Held messages are still to be emitted in any case.
 */
export function readPollState(
	stored: unknown,
	now: Pick<Required<PollState>, 'account' | 'asked' | 'filter'>,
): { state?: PollState; startsOver?: StartsOver; held: HeldMessage[] } {
	if (stored === undefined) return { held: [] };
	// n8n would wrap what comes from its static data in one more proxy each time.
	const state = deepCopy(stored as PollState);
	const held = Array.isArray(state?.held) ? state.held.filter(isHeld) : [];
	if (!isPollState(state)) return { startsOver: 'unreadable', held };
	if (state.account !== now.account) return { startsOver: 'otherAccount', held };
	const ofOtherList = { ...state, order: 0, times: undefined, recheckAfter: undefined };
	if (state.asked !== now.asked) return { startsOver: 'otherQuery', state: ofOtherList, held };
	const { filter = now.filter } = state;
	return { startsOver: filter === now.filter ? undefined : 'otherFilter', state, held };
}

function isHeld(entry: Partial<HeldMessage> | null): boolean {
	return typeof entry?.message === 'object' && typeof entry.foundAt === 'string';
}

/** Whether the state is whole: n8n's database or a person may have changed it. */
function isPollState(state: PollState | null): state is PollState {
	if (!Array.isArray(state?.known)) return false;
	const { account, known, idField, idEvidence, order, asked, times, polledAt } = state;
	return (
		[account, idField, asked, polledAt, ...known].every((text) => typeof text === 'string') &&
		[idEvidence, order].every((number) => typeof number === 'number') &&
		(times === undefined || (typeof times?.field === 'string' && typeof times.newest === 'number'))
	);
}

/** Returns the field of the IDs that earlier polls have found; undefined if there is none, or if the user had set it. */
export function getDetected(state: PollState | undefined) {
	if (!state?.idEvidence) return undefined;
	return { field: state.idField, evidence: state.idEvidence };
}

/** Returns the state with the keys for another ID field. Of messages that share an old key, only the oldest is known: others may be new. */
export function changeIdField(state: PollState, pages: KeyedMessage[][], idField: IdField) {
	if (state.idField === idField) return state;
	const readOldId = createIdReader(state.idField);
	const readNewId = createIdReader(idField);
	const newKeys = new Map<string, string>();
	for (const { message, key } of sortOldestFirst(pages, state.order)) {
		// If the host has moved the ID, the old field is gone and its value is in the new one.
		for (const oldId of [readOldId(message), readOldId(message) ?? readNewId(message)]) {
			const oldKey = createKey(message, state.idField, oldId);
			if (!newKeys.has(oldKey)) newKeys.set(oldKey, key);
		}
	}
	return { ...state, idField, known: state.known.map((key) => newKeys.get(key) ?? key) };
}
