import type { IdField } from './messageId';

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
	/** Whether a warning about different messages with the same ID was logged. */
	sharingTold?: boolean;
	/** Absent until the order of the list is known. */
	newestFirst?: boolean;
	/** Hash of the query parameters as entered: with other ones, pages may have another length. */
	asked?: string;
	/** Number of messages on the longest first page so far. */
	longestPage?: number;
	/** Time of the last poll, ISO 8601. */
	polledAt?: string;
}

/**
 * Reads the state that an earlier poll stored. An older version or a person may have written it, so each field that cannot
 * be used counts as absent, except `known`.
 *
 * @param account as `createAccountKey` returns it
 * @returns no state before the first poll, nor if the trigger has to start over, for the given reason
 */
export function readPollState(
	stored: unknown,
	account: string,
): { state?: PollState; startsOver?: 'unreadable' | 'otherAccount' } {
	if (stored === undefined) return {};
	if (typeof stored !== 'object' || stored === null) return { startsOver: 'unreadable' };
	const fields = stored as Partial<Record<keyof PollState, unknown>>;
	const { known, longestPage } = fields;
	if (!Array.isArray(known) || !known.every((key) => typeof key === 'string')) {
		return { startsOver: 'unreadable' };
	}
	const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
	const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
	if ((text(fields.account) ?? account) !== account) return { startsOver: 'otherAccount' };
	return {
		state: {
			account,
			known,
			idField: text(fields.idField) ?? '',
			isFieldSet: flag(fields.isFieldSet),
			sharingTold: flag(fields.sharingTold),
			newestFirst: flag(fields.newestFirst),
			asked: text(fields.asked),
			longestPage: Number.isInteger(longestPage) ? (longestPage as number) : undefined,
			polledAt: text(fields.polledAt),
		},
	};
}
