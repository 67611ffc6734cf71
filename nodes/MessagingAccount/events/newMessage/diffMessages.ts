import { createKnownMatcher } from './knownMessages';
import { countSharedIds, getId, getKey, type IdField } from './messageId';
import { isNewestFirst, isNewestFirstByTime, sortOldestFirst } from './messageOrder';
import type { PollState } from './pollState';
import { uniqueBy } from './uniqueBy';

/** As many as on ten pages. */
const MAX_KNOWN = 1000;

/** docs/api.md, "Limits": the service lists the last 100 messages. At other hosts, fewer may fill a page. */
const FULL_PAGE = 100;

/** The messages of one poll, and how it read them. */
export interface FetchedMessages {
	/** The first one has the newest messages, at either end. */
	pages: unknown[][];
	/** Whether no page follows the last one. */
	isComplete: boolean;
	/** As `chooseIdField` returns it. */
	idField: IdField;
	/** For the state; see `PollState`. */
	isFieldSet: boolean;
	account: string;
	asked: string;
	now: Date;
}

export interface MessageDiff {
	/** All messages, each once, the oldest first. */
	messages: unknown[];
	/** Those that were not known. */
	newMessages: unknown[];
	/** How many of these have no ID. */
	withoutId: number;
	/** How many messages count as another one because of its ID; 0 once a warning was logged. */
	sharedIds: number;
	/** Whether messages may be missing between the known and the new ones. */
	hasGap: boolean;
	/** To be stored together with emitting the new messages. */
	state: PollState;
}

/**
 * Decides which messages are new, in which order they came, and whether some may be missing.
 *
 * @param state of the last poll; undefined for the first one
 */
export function diffMessages(
	{ pages, isComplete, idField, isFieldSet, account, asked, now }: FetchedMessages,
	state: PollState | undefined,
): MessageDiff {
	const isKnown = createKnownMatcher(pages, state, idField);
	const lists = pages.map((page) => uniqueBy(page, (message) => getKey(message, idField)));

	// Only the last page can contain known messages, because reading ends with them.
	const observed = isNewestFirst(lists[lists.length - 1].map(isKnown));
	const remembered = state?.newestFirst;
	// After a deletion, an old message appears at the other end. If positions contradict the known order, times decide.
	const contradictsOrder =
		observed !== undefined && remembered !== undefined && observed !== remembered;
	const newestFirst = contradictsOrder
		? (isNewestFirstByTime(pages[0]) ?? observed)
		: (observed ?? remembered);
	const messages = sortOldestFirst(lists, newestFirst);
	const newMessages = messages.filter((message) => !isKnown(message));

	const sharedIds = countSharedIds(pages.flat(), idField);

	const pageLength = pages[0].length;
	const longestSoFar = (state?.asked === asked && state.longestPage) || 0;
	const isFull = pageLength >= Math.min(longestSoFar || FULL_PAGE, FULL_PAGE);
	// A list that ends after its first page may come from a host without further pages.
	const reachedEnd = isComplete && pages.length > 1;
	const hasKnown = newMessages.length < messages.length;

	const listed = new Set(messages.map((message) => getKey(message, idField)));
	const known = [...(state?.known ?? []).filter((key) => !listed.has(key)), ...listed];
	return {
		messages,
		newMessages,
		withoutId: newMessages.filter((message) => getId(message, idField) === undefined).length,
		sharedIds: state?.sharingTold ? 0 : sharedIds,
		hasGap: state !== undefined && !hasKnown && !reachedEnd && isFull,
		state: {
			account,
			// The listed messages are at the end, so they are kept.
			known: known.slice(-Math.max(MAX_KNOWN, lists[0].length)),
			idField,
			isFieldSet,
			sharingTold: sharedIds > 0 || state?.sharingTold,
			newestFirst,
			asked,
			longestPage: Math.max(longestSoFar, pageLength),
			polledAt: now.toISOString(),
		},
	};
}
