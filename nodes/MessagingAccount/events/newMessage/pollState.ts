import { deepCopy } from 'n8n-workflow';

import type { IdField } from '../../messages/messageKey';
import type { HeldMessage } from './combineMessages';

/** The state that is stored between two polls, in the workflow's static data. Its field names never change. */
export interface PollState {
	/** The key of the account, from `createAccountKey`. */
	account: string;
	/** Keys of known messages, the oldest first. */
	known: string[];
	/** The field of the messages' IDs. */
	idField: IdField;
	/** Whether the user set that field: it is forgotten when the option is removed. */
	isFieldSet?: boolean;
	/** See `ChosenIdField`. */
	idEvidence: number;
	/** Whether a warning about different messages with the same ID was logged. */
	sharingTold?: boolean;
	/** The end of the list with the newest messages: positive for the first; the farther from 0, the more polls agree. 0 if unknown. */
	order: number;
	/** The hash of the query parameters as entered: other ones ask for another list. */
	asked: string;
	/** The hash of the conditions as entered: n8n has not stored the messages that they left out. Absent in earlier versions. */
	filter?: string;
	/** Absent if messages have no times. */
	times?: KnownTimes;
	/** Whether a warning about known messages with a later time was logged. */
	reuseTold?: boolean;
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

/** Times of messages, in ms since 1970. */
export interface KnownTimes {
	/** The dot path of the field with the times. */
	field: string;
	/** The time of the oldest message of the first poll: older ones were there before. Absent if it is not known. */
	oldest?: number;
	/** The latest time of all messages so far. */
	newest: number;
}

export type StartsOver = 'unreadable' | 'otherAccount' | 'otherQuery' | 'otherFilter';

/** The fields that each state has, with values of their types. */
const EXAMPLE = {
	account: '',
	known: [],
	idField: '',
	idEvidence: 0,
	order: 0,
	asked: '',
	polledAt: '',
} satisfies PollState;

/**
 * Reads the state that an earlier poll stored.
 *
 * @param now what it must have been stored for
 * @returns no state before the first poll; a reason if the trigger has to start over, because the list may now have other messages. After a
 * change of the query or the conditions, known messages stay known. Held messages are still to be emitted in any case.
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
	const hasType = ([name, value]: [string, unknown]) =>
		typeof state![name as keyof PollState] === typeof value;
	const { known, times } = state ?? {};
	return (
		Array.isArray(known) &&
		known.every((key) => typeof key === 'string') &&
		Object.entries(EXAMPLE).every(hasType) &&
		(times === undefined || (typeof times?.field === 'string' && typeof times.newest === 'number'))
	);
}
