import type { IdField } from '../../messages/messageKey';

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
	asked?: string;
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
	/** Time of the last poll, ISO 8601. */
	polledAt?: string;
}

/** Times are in the unit of the service. */
export interface KnownTimes {
	/** Dot path of the field that they are in. */
	field: string;
	/** Of the oldest message of the first poll: what is older was there before. Absent if none had a time. */
	oldest?: number;
	/** The latest of all messages so far. */
	newest: number;
	/** What is older is forgotten. */
	forgotten?: number;
	/** Of one known message out of many, the oldest first: they tell how far back one remembers. */
	ofKeys: KeyTime[];
}

export type KeyTime = [key: string, time: number];

export type StartsOver = 'unreadable' | 'otherAccount' | 'otherQuery';

/**
 * Reads the state that an earlier poll stored. A person may have edited it, so each field that cannot be used counts as
 * absent, except `known`, from which two others can be estimated.
 *
 * @param account as `createAccountKey` returns it
 * @param asked for `PollState`
 * @returns no state before the first poll; with a reason if the trigger has to start over, because the list may have other
 * messages now. After another query, those that are known stay so.
 */
export function readPollState(
	stored: unknown,
	account: string,
	asked: string,
): { state?: PollState; startsOver?: StartsOver } {
	if (stored === undefined) return {};
	if (typeof stored !== 'object' || stored === null) return { startsOver: 'unreadable' };
	const fields = stored as Partial<Record<keyof PollState, unknown>>;
	const { known } = fields;
	if (!Array.isArray(known) || !known.every((key) => typeof key === 'string')) {
		return { startsOver: 'unreadable' };
	}
	const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
	const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
	const count = (value: unknown) => (Number.isInteger(value) ? (value as number) : undefined);
	if ((text(fields.account) ?? account) !== account) return { startsOver: 'otherAccount' };
	const isOtherQuery = (text(fields.asked) ?? asked) !== asked;
	return {
		startsOver: isOtherQuery ? 'otherQuery' : undefined,
		state: {
			account,
			known: [...known],
			idField: text(fields.idField) ?? '',
			isFieldSet: flag(fields.isFieldSet),
			idEvidence: count(fields.idEvidence) ?? known.length,
			sharingTold: flag(fields.sharingTold),
			order: isOtherQuery ? 0 : (count(fields.order) ?? 0),
			asked: text(fields.asked),
			longestList: count(fields.longestList) ?? known.length,
			times: isOtherQuery ? undefined : readTimes(fields.times),
			reuseTold: flag(fields.reuseTold),
			recheckAfter: isOtherQuery ? undefined : text(fields.recheckAfter),
			polledAt: text(fields.polledAt),
		},
	};
}

function readTimes(stored: unknown): KnownTimes | undefined {
	const { field, oldest, newest, forgotten, ofKeys } = (stored ?? {}) as Partial<KnownTimes>;
	if (typeof field !== 'string' || !Array.isArray(ofKeys)) return undefined;
	if (typeof (oldest ?? 0) !== 'number' || typeof newest !== 'number') return undefined;
	return { field, oldest, newest, forgotten, ofKeys: ofKeys.map(([key, time]) => [key, time]) };
}
