import { knownAmong, type Memory } from './knownMessages';
import { isNewestFirst, isNewestFirstByTime, oldestFirst } from './listOrder';
import { idOf, keyOf, sharingAmong, type IdField } from './messageId';

/** As many as ten pages have. */
const MOST_KNOWN = 1000;

/** The service gives the last 100 messages (section 8 of its document); at other hosts a page may be full with fewer. */
const FULL_PAGE = 100;

/** What a poll has read, and how. */
export interface Listed {
	/** The first one has the newest messages, at whichever of its ends. */
	pages: unknown[][];
	/** Whether there is nothing behind the last page. */
	isComplete: boolean;
	/** As `chooseIdField` says. */
	idField: IdField;
	/** These are for the memory; see there. */
	isFieldSet: boolean;
	account: string;
	asked: string;
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

	// Only the last page can have known ones: with them reading ends.
	const shown = isNewestFirst(lists[lists.length - 1].map(isKnown));
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
	// A list that ends behind its first page may only be a host that has no more pages.
	const isRead = isComplete && pages.length > 1;
	const hasKnown = fresh.length < messages.length;

	const listed = new Set(messages.map((message) => keyOf(message, idField)));
	const known = [...(memory?.known ?? []).filter((key) => !listed.has(key)), ...listed];
	return {
		messages,
		fresh,
		withoutId: fresh.filter((message) => idOf(message, idField) === undefined).length,
		sharing: memory?.sharingTold ? 0 : sharing,
		hasGap: memory !== undefined && !hasKnown && !isRead && isFull,
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

function eachOnce(messages: unknown[], idField: IdField): unknown[] {
	const seen = new Set<string>();
	return messages.filter((message) => {
		const key = keyOf(message, idField);
		return !seen.has(key) && seen.add(key);
	});
}
