import { isKnown, type ListedMessage } from './classifyMessages';
import type { PollState } from './pollState';

/** A list of a multiple of these may be a full page, and cut off. */
const USUAL_PAGE_SIZES = [10, 25];

/** Finds out whether messages may be missing behind those that were known before. */
export function findGap(listed: ListedMessage[], anchorCount: number, state?: PollState) {
	const { known = [], order, recheckAfter } = state ?? {};
	// A gap that was told is not told again: only what follows the first known message counts.
	const start = recheckAfter === undefined ? 0 : Math.max(0, listed.findIndex(isKnown));
	// Without an order, nobody knows which known messages are newer than others.
	const inOrder = order ? known : [];
	const followsKnown = isContinuous(listed.slice(start), isKnown, inOrder);
	const isAnchor = ({ kind }: ListedMessage) => kind === 'anchor';
	const followsAnchors = isContinuous(listed, isAnchor, inOrder.slice(0, anchorCount));
	const isBehind = listed.some(({ kind }) => kind === 'behind');
	const isFull = listed.length > 0 && USUAL_PAGE_SIZES.some((size) => listed.length % size === 0);
	return {
		/** Whether messages may have been missed since the last poll: after an empty list, only a full page suggests it. */
		hasGap: known.length === 0 ? isFull : !followsKnown || isBehind,
		/** Whether further pages may have messages that this poll or an earlier one misses. */
		needsMore: !followsKnown || !followsAnchors,
	};
}

/** More known messages are not pinned. */
const MAX_PINNED = 10;

/**
 * Whether no message can be missing between what was there before and what is later.
 *
 * | listed, the oldest first: known K, unknown n | newer known ones that are not listed | continuous |
 * | --- | --- | --- |
 * | nothing, or K K | | yes |
 * | n passed, n, and K anywhere | | yes: times separate them, unless a clock was set back, which K disproves |
 * | n n, or n K | | no |
 * | K n | none, or unknown | yes |
 * | K K n n | 1: fewer than K | yes: it was deleted |
 * | K K n | 2, but fewer n than K | yes: a page of new ones would have more |
 * | K n, or K K n n | as many as K, or more | no: K may be pinned, unless there are many |
 *
 * @param isOld whether a known message is not later itself @param oldKeys those for which it is true, the oldest first, if known
 */
function isContinuous(listed: ListedMessage[], isOld: typeof isKnown, oldKeys: string[]) {
	const isLater = (one: ListedMessage) => one.kind === 'new' || (isKnown(one) && !isOld(one));
	const firstLater = listed.findIndex(isLater);
	const inFront = firstLater === -1 ? listed : listed.slice(0, firstLater);
	if (firstLater === -1 || inFront.some(({ kind }) => kind === 'passed'))
		return listed.length === 0 || listed.some(isKnown);
	if (!inFront.some(isOld)) return false;
	const before = new Set(listed.filter(isOld).map(({ key }) => key));
	const newestListed = oldKeys.findLastIndex((key) => before.has(key));
	const unlistedCount = oldKeys.length - 1 - newestListed;
	return before.size > Math.min(MAX_PINNED, unlistedCount, listed.filter(isLater).length);
}
