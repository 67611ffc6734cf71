import type { KeyedMessage } from '../../messages/messageKey';
import { findListOrder, sortOldestFirst } from '../../messages/messageOrder';
import { classifyMessages, isKnown, type ListedMessage } from './classifyMessages';
import { findOrder } from './listOrder';
import type { PollState } from './pollState';
import { addListed, updateTimes } from './remember';

/**
 * Decides which messages are new, and whether some may be missing: docs/design/new-messages.md has the invariants.
 * @param pages in the service's order; the first one has the newest messages, at either end @param state undefined for the first poll
 */
export function diffMessages(pages: KeyedMessage[][], state: PollState | undefined) {
	const { known = [], recheckAfter, order: orderBefore = 0 } = state ?? {};
	const firstPage = new Map(pages[0].map(({ key, message }) => [key, message]));
	const shown = findListOrder([...firstPage.values()]);
	const { byTime } = shown;
	const { order, isCertain } = findOrder(pages, shown, state);
	const times = state?.times?.field === byTime?.field ? state?.times : undefined;
	// The known messages that end with the mark are anchors: what follows them may have a gap. Without a mark, all are.
	const anchorCount = recheckAfter === undefined ? known.length : known.indexOf(recheckAfter) + 1;
	const messages = dropRepeated(sortOldestFirst(pages, order));
	const listed = classifyMessages(messages, known, anchorCount, isCertain, times, byTime?.read);
	const isSameOrder = Math.sign(order) === Math.sign(orderBefore);
	const next = addListed(known, anchorCount, listed, isSameOrder);
	const knownKeys = new Set(known);
	const ofKind = (kind: ListedMessage['kind']) => listed.filter((one) => one.kind === kind);
	return {
		/** All messages, each once, the oldest first. */
		listed,
		newMessages: ofKind('new'),
		/** The number of messages that stand among new ones, but are older than the first poll. */
		outdated: ofKind('outdated').length,
		/** The number of known messages with a later time than all messages so far. */
		reused: listed.filter((one) => isKnown(one) && times && (one.time ?? 0) > times.newest).length,
		...findGap(listed, known, anchorCount, state),
		/** The newest key that was known before; empty if there was none. */
		newestKnown: next.findLast((key) => knownKeys.has(key)) ?? '',
		next: { known: next, order, times: updateTimes(byTime, listed, state, times, isCertain) },
	};
}

/** If a message is listed twice, its newer position counts. */
function dropRepeated(messages: KeyedMessage[]): KeyedMessage[] {
	const positions = new Map(messages.map(({ key }, i) => [key, i]));
	return messages.filter(({ key }, i) => positions.get(key) === i);
}

function findGap(
	listed: ListedMessage[],
	known: string[],
	anchorCount: number,
	state: PollState | undefined,
) {
	// What an earlier poll has missed is not reported again.
	const start = state?.recheckAfter === undefined ? 0 : Math.max(0, listed.findIndex(isKnown));
	// Without an order, nobody knows which known message was the newest.
	const newestOf = (keys: string[]) => (state?.order ? keys.at(-1) : undefined);
	const isJoined = followsOn(listed.slice(start), isKnown, newestOf(known));
	const isAnchor = ({ kind }: ListedMessage) => kind === 'anchor';
	const isFilled = followsOn(listed, isAnchor, newestOf(known.slice(0, anchorCount)));
	const isBehind = listed.some(({ kind }) => kind === 'behind');
	// The first list after an empty one may be cut off if it has a usual length of a page.
	const isCutOff = listed.length > 0 && [10, 25].some((size) => listed.length % size === 0);
	return {
		/** Whether messages may have been missed since the last poll. */
		hasGap: known.length === 0 ? isCutOff : !isJoined || isBehind,
		/** Whether further pages may have messages that this poll or an earlier one misses. */
		needsMore: !isJoined || !isFilled,
	};
}

/**
 * Whether no message can be missing between the anchors and what is later. The first case that applies decides: if nothing is later, or times
 * alone separate it from what is older, any known message proves it; without an anchor before it, nothing does; otherwise the anchor there
 * does, if it is the newest or not the only one.
 * @param newest the newest anchor, if known
 */
function followsOn(
	listed: ListedMessage[],
	isAnchor: (one: ListedMessage) => boolean,
	newest: string | undefined,
): boolean {
	const isLater = (one: ListedMessage) => one.kind === 'new' || (isKnown(one) && !isAnchor(one));
	const firstLater = listed.findIndex(isLater);
	// With nothing later, or with times alone, a known message must prove it: a clock may have been set back.
	const isProvenByAny = listed.length === 0 || listed.some(isKnown);
	if (firstLater === -1) return isProvenByAny;
	const earlier = listed.slice(0, firstLater);
	if (earlier.some(({ kind }) => kind === 'passed')) return isProvenByAny;
	const anchor = earlier.find(isAnchor);
	if (!anchor) return false;
	// A single known message may be pinned, so it counts only if it was the newest.
	return newest === undefined || anchor.key === newest || listed.filter(isAnchor).length > 1;
}
