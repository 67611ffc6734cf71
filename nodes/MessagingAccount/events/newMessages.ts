import { isNewestFirst, isNewestFirstByTime } from './listOrder';
import { InvalidInput } from '../service/errors';
import { findIdField, idOf, keyOf, type IdField } from './messageId';

/** What is kept from one poll to the next, in the static data of the workflow. */
export interface Memory {
	/** Tells accounts apart. */
	account: string;
	/** Keys of messages, the oldest first. */
	known: string[];
	/** Where messages have their ids; absent as long as there was no message. */
	idField?: IdField;
	/** Whether the user has set it; otherwise it was found. */
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

/** As many as ten pages have. */
const MOST_KNOWN = 1000;

/** The service gives the last 100 messages (section 8 of its document); at other hosts a page may be full with fewer. */
const FULL_PAGE = 100;

/**
 * Reads what an earlier poll left. An older version may have left it, or a person: what cannot be used is learned again.
 *
 * @returns 'nothing' before the first poll; 'unreadable' where not even the known messages can be read
 */
export function readMemory(
	stored: unknown,
	account: string,
): Memory | 'nothing' | 'unreadable' | 'otherAccount' {
	if (stored === undefined) return 'nothing';
	if (typeof stored !== 'object' || stored === null) return 'unreadable';
	const fields = stored as Partial<Record<keyof Memory, unknown>>;
	if (!Array.isArray(fields.known) || !fields.known.every((key) => typeof key === 'string')) {
		return 'unreadable';
	}
	if (typeof fields.account === 'string' && fields.account !== account) return 'otherAccount';
	const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
	const flag = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
	return {
		account,
		known: [...fields.known],
		idField: text(fields.idField),
		isFieldSet: flag(fields.isFieldSet),
		sharingTold: flag(fields.sharingTold),
		newestFirst: flag(fields.newestFirst),
		asked: text(fields.asked),
		longestPage: Number.isInteger(fields.longestPage) ? (fields.longestPage as number) : undefined,
		polledAt: text(fields.polledAt),
	};
}

/**
 * Decides where messages have their ids: where the user says, else where they were found before, else where they are
 * found now. Where they were found before is given up only when it no longer tells messages apart, and another place does.
 *
 * @returns undefined where there is no message to look at
 * @throws InvalidInput where no message has an id where the user says
 */
export function chooseIdField(
	messages: unknown[],
	memory: Memory | undefined,
	setField: IdField,
): IdField | undefined {
	if (setField !== '') {
		if (messages.length > 0 && messages.every((message) => idOf(message, setField) === undefined)) {
			throw new InvalidInput(
				`No message has an id in '${setField}', the 'Message ID Field'`,
				'Take the option out to have it found, or enter the field as the messages have it, e.g. id or message.id.',
			);
		}
		return setField;
	}
	const found = memory?.isFieldSet ? undefined : memory?.idField;
	if (messages.length === 0) return memory?.idField;
	const ids = messages.map((message) => idOf(message, found));
	const isInSome = ids.some((id) => id !== undefined);
	if (isInSome && sharingAmong(messages, found) === 0) return found;
	return findIdField(messages, found) || found || '';
}

/** How many messages have the same key as another one, but not the same content. */
function sharingAmong(messages: unknown[], idField: IdField | undefined): number {
	const different = [...new Map(messages.map((m) => [JSON.stringify(m), m])).values()];
	return different.length - new Set(different.map((m) => keyOf(m, idField))).size;
}

/**
 * Tells known messages from new ones.
 *
 * @param pages with all messages that will be asked for
 */
export function knownAmong(
	pages: unknown[][],
	memory: Memory | undefined,
	idField: IdField | undefined,
): (message: unknown) => boolean {
	const known = new Set(memory?.known);
	const before = memory?.idField;
	if (before !== undefined && before !== idField) {
		// What is known by its old key becomes known by its new one: of several with the same old key the oldest.
		const old = new Set(known);
		for (const message of oldestFirst(pages, memory?.newestFirst)) {
			if (old.delete(keyOf(message, before))) known.add(keyOf(message, idField));
		}
	}
	return (message) => known.has(keyOf(message, idField));
}

/** @param newestFirst undefined where it is not known: then times tell, or it is taken for false */
function oldestFirst(pages: unknown[][], newestFirst: boolean | undefined): unknown[] {
	const isReversed = newestFirst ?? isNewestFirstByTime(pages[0]) ?? false;
	return isReversed ? pages.flat().reverse() : pages.toReversed().flat();
}

/** The messages that a poll has read. */
export interface Listed {
	/** The page with the newest first. */
	pages: unknown[][];
	/** Whether there is nothing behind the last page. */
	isComplete: boolean;
	/** As `chooseIdField` says. */
	idField: IdField | undefined;
	isFieldSet: boolean;
	account: string;
	asked: string;
	/** When. */
	now: Date;
}

export interface SortedOut {
	/** All of them, each once, the oldest first. */
	messages: unknown[];
	/** Those that were not known. */
	fresh: unknown[];
	/** How many of these have no id. */
	withoutId: number;
	/** How many count as another one because they have its id, where that was not told yet. */
	sharing: number;
	/** Whether there may have been more, between the known ones and these. */
	hasGap: boolean;
	/** What is to be kept when they go out. */
	memory: Memory;
}

/**
 * Decides what is new, in which order, and whether something may be missing.
 *
 * @param memory what the last poll left; undefined at the first one
 */
export function sortOut(
	{ pages, isComplete, idField, isFieldSet, account, asked, now }: Listed,
	memory: Memory | undefined,
): SortedOut {
	const isKnown = knownAmong(pages, memory, idField);
	const lists = pages.map((page) => eachOnce(page, idField));

	const shown = lists
		.map((list) => isNewestFirst(list.map(isKnown)))
		.findLast((told) => told !== undefined);
	const remembered = memory?.newestFirst;
	// Where a message was deleted, an old one comes back at the other end: against what was learned, times decide.
	const isContrary = shown !== undefined && remembered !== undefined && shown !== remembered;
	const newestFirst = isContrary ? (isNewestFirstByTime(pages[0]) ?? shown) : (shown ?? remembered);
	const messages = oldestFirst(lists, newestFirst);
	const fresh = messages.filter((message) => !isKnown(message));

	const sharing = sharingAmong(pages.flat(), idField);

	const pageLength = pages[0].length;
	const longestSoFar = (memory?.asked === asked && memory.longestPage) || 0;
	const isFull = pageLength >= Math.min(longestSoFar || FULL_PAGE, FULL_PAGE);
	const hasKnown = fresh.length < messages.length;

	const listed = new Set(messages.map((message) => keyOf(message, idField)));
	const known = [...(memory?.known ?? []).filter((key) => !listed.has(key)), ...listed];
	return {
		messages,
		fresh,
		withoutId: fresh.filter((message) => idOf(message, idField) === undefined).length,
		sharing: memory?.sharingTold ? 0 : sharing,
		hasGap: memory !== undefined && fresh.length > 0 && !hasKnown && !isComplete && isFull,
		memory: {
			account,
			// What is on the page is at the end, and stays.
			known: known.slice(-Math.max(MOST_KNOWN, lists[0].length)),
			idField,
			isFieldSet,
			sharingTold: sharing > 0 || memory?.sharingTold,
			newestFirst,
			asked,
			longestPage: Math.max(longestSoFar, pageLength),
			polledAt: now.toISOString(),
		},
	};
}

function eachOnce(messages: unknown[], idField: IdField | undefined): unknown[] {
	const seen = new Set<string>();
	return messages.filter((message) => {
		const key = keyOf(message, idField);
		return !seen.has(key) && seen.add(key);
	});
}
