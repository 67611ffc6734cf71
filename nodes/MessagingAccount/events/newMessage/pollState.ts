import { deepCopy } from 'n8n-workflow';

import type { IdField } from '../../messages/messageKey';
import type { HeldMessage } from './combineMessages';

/** Stored between two polls, in the workflow's static data. Its field names never change. */
export interface PollState {
	/** Identifies the account, as `createAccountKey` returns it. */
	account: string;
	/** Keys of known messages, the oldest first. */
	known: string[];
	/** Where messages have their IDs. */
	idField: IdField;
	/** Whether the user set that field: it is forgotten when the option is removed. */
	isFieldSet?: boolean;
	/** See `ChosenIdField`. */
	idEvidence: number;
	/** Whether a warning about different messages with the same ID was logged. */
	sharingTold?: boolean;
	/**
	 * At which end of the list the newest messages are: positive if they are first, negative if they are last, the farther from 0 the
	 * more polls agree. 0 if nothing tells.
	 */
	order: number;
	/** Hash of the query parameters as entered: other ones ask for another list. */
	asked: string;
	/** Hash of the conditions as entered: n8n has not stored what they left out. Earlier versions did not store it. */
	filter?: string;
	/** Absent if messages have no times. */
	times?: KnownTimes;
	/** Whether a warning about known messages with a later time was logged. */
	reuseTold?: boolean;
	/**
	 * Set if the next poll must read on until it finds this message or one that was known before it, because the last poll did not
	 * get that far, or read pages that may not fit together. Empty if it must read to the end of the list.
	 */
	recheckAfter?: string;
	/** Those that wait to be combined with others, see `combineMessages`. */
	held?: HeldMessage[];
	/** Time of the last poll, ISO 8601. */
	polledAt: string;
}

/** Times are in ms since 1970. */
export interface KnownTimes {
	/** Dot path of the field that they are in. */
	field: string;
	/** Of the oldest message of the first poll: what is older was there before. Absent if none had a time. */
	oldest?: number;
	/** The latest of all messages so far. */
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
 * @returns no state before the first poll; with a reason if the trigger has to start over, because the list may have other
 * messages now. After another query or with other conditions, those that are known stay so. Messages that are held are still to
 * come out, in any case.
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

/** Whether n8n's database, or a person, has left it whole. */
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
