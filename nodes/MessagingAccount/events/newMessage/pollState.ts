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
	/** Number of messages in the longest list so far. */
	longestList: number;
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

export type StartsOver = 'unreadable' | 'otherAccount' | 'otherQuery';

/**
 * Reads the state that an earlier poll stored.
 *
 * @param account as `createAccountKey` returns it
 * @param asked for `PollState`
 * @returns no state before the first poll; with a reason if the trigger has to start over, because the list may have other
 * messages now. After another query, those that are known stay so. Messages that are held are still to come out, in any case.
 */
export function readPollState(
	stored: unknown,
	account: string,
	asked: string,
): { state?: PollState; startsOver?: StartsOver; held: HeldMessage[] } {
	if (stored === undefined) return { held: [] };
	// n8n would wrap what comes from its static data in one more proxy each time.
	const state = deepCopy(stored as PollState);
	const held = Array.isArray(state.held) ? state.held : [];
	if (!Array.isArray(state.known)) return { startsOver: 'unreadable', held };
	if (state.account !== account) return { startsOver: 'otherAccount', held };
	if (state.asked === asked) return { state, held };
	const ofList = { order: 0, times: undefined, recheckAfter: undefined };
	return { startsOver: 'otherQuery', state: { ...state, ...ofList }, held };
}
