import { oldestFirst } from './listOrder';
import { idOf, keyOf, keyOfId, type IdField } from './messageId';

/** What is kept from one poll to the next, in the static data of the workflow. */
export interface Memory {
	/** Tells accounts apart. */
	account: string;
	/** Keys of messages, the oldest first. */
	known: string[];
	/** Where messages have their ids. */
	idField: IdField;
	/** Whether the user said so: it stays only as long as that. */
	isFieldSet?: boolean;
	/** Whether it was told that different messages have the same id. */
	sharingTold?: boolean;
	/** Absent as long as nothing has told. */
	newestFirst?: boolean;
	/** What the list is asked for with, as it was entered: other questions have pages of another length. */
	asked?: string;
	/** How many messages the longest first page had. */
	longestPage?: number;
	/** When the last poll was, ISO 8601. */
	polledAt?: string;
}

/**
 * Reads what an earlier poll left. An older version may have left it, or a person: what cannot be used is learned again.
 *
 * @param account as `accountKey` gives it
 * @returns no memory before the first poll, and where the trigger has to start anew, for the reason that is given
 */
export function readMemory(
	stored: unknown,
	account: string,
): { memory?: Memory; startsAnew?: 'unreadable' | 'otherAccount' } {
	if (stored === undefined) return {};
	if (typeof stored !== 'object' || stored === null) return { startsAnew: 'unreadable' };
	const fields = stored as Partial<Record<keyof Memory, unknown>>;
	const { known, longestPage } = fields;
	if (!Array.isArray(known) || !known.every((key) => typeof key === 'string')) {
		return { startsAnew: 'unreadable' };
	}
	const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
	const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
	if ((text(fields.account) ?? account) !== account) return { startsAnew: 'otherAccount' };
	return {
		memory: {
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

/**
 * Tells known messages from new ones.
 *
 * @param pages with all messages that will be asked for
 */
export function knownAmong(
	pages: unknown[][],
	memory: Memory | undefined,
	idField: IdField,
): (message: unknown) => boolean {
	const known = new Set(memory?.known);
	if (memory && memory.idField !== idField) {
		// What is known by its old key becomes known by its new one: of several with the same old key the oldest.
		const old = new Set(known);
		for (const message of oldestFirst(pages, memory.newestFirst)) {
			// Where the host has moved the id, the old field is gone, and its id is in the new one.
			const id = idOf(message, memory.idField) ?? idOf(message, idField) ?? '';
			const isOld =
				old.delete(keyOf(message, memory.idField)) || old.delete(keyOfId(id, memory.idField));
			if (isOld) known.add(keyOf(message, idField));
		}
	}
	return (message) => known.has(keyOf(message, idField));
}
