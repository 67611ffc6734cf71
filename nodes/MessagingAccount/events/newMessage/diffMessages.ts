import type { KeyedMessage } from '../../messages/messageKey';
import {
	findOrderById,
	findOrderByPosition,
	findOrderByTime,
	sortOldestFirst,
	type OrderByTime,
} from '../../messages/messageOrder';
import { remember, type ListedMessage } from './knownMessages';
import type { KnownTimes, PollState } from './pollState';

/** The number of agreeing polls that make an order certain. */
const CERTAIN = 3;
const MAX_ORDER = 6;

/** The number of times in order that cannot be chance. */
const ENOUGH_STEPS = 10;

/**
 * Decides which messages are new, and whether some may be missing. This must always be true, whatever a service lists:
 *
 * - A known message is not new. Any other is, except those that were there before the first poll. A message that is listed as older than
 *   all known ones, e.g. because a deletion moved it into the list, is judged by its time or, without one, by its position, once the order
 *   of the list is certain. If no known message is listed, only the time counts.
 * - If the oldest new message does not follow on a known one, messages may be missing. A single known message may be pinned, so it counts
 *   only if it was the newest one.
 *
 * @param pages in the service's order; the first one has the newest messages, at either end
 * @param state of the last poll; undefined for the first one
 */
export function diffMessages(pages: KeyedMessage[][], state: PollState | undefined) {
	const { known = [], recheckAfter, order: orderBefore = 0 } = state ?? {};
	const firstPage = [...new Map(pages[0].map(({ key, message }) => [key, message])).values()];
	const byTime = findOrderByTime(firstPage);
	const times = state?.times?.field === byTime?.field ? state?.times : undefined;
	const { order, isCertain } = findOrder(pages, byTime ?? findOrderById(firstPage), state);
	/** The keys known before the gap that the next pages may fill, or all of them without a gap. */
	const before =
		recheckAfter === undefined ? known : known.slice(0, known.indexOf(recheckAfter) + 1);
	const entries = createEntries(sortOldestFirst(pages, order), known, byTime);
	markOld(entries, before, isCertain, times);

	// What an earlier poll has missed is not reported again.
	const start = recheckAfter === undefined ? 0 : entries.findIndex(({ kind }) => kind === 'known');
	// Without an order, nobody knows which known message was the newest.
	const isJoined = followsOn(entries.slice(Math.max(0, start)), known, orderBefore !== 0);
	// The times of the first poll count even if all are equal.
	const hasTimes = byTime?.order !== 0 || (!state && entries.length > 1);
	const isBehind = entries.some(({ kind }) => kind === 'behind');
	const newest = times?.newest ?? Infinity;
	// The first list after an empty one may be cut off if it has a usual length of a page.
	const isCutOff = entries.length > 0 && [10, 25].some((size) => entries.length % size === 0);
	return {
		/** All messages, each once, the oldest first. */
		listed: entries,
		/** The messages that came since the last poll. */
		newMessages: entries.filter(({ kind }) => kind === 'new'),
		/** Whether messages may be missing. */
		hasGap: known.length === 0 ? isCutOff : !isJoined || isBehind,
		/** Whether further pages may have messages that this poll or an earlier one misses. */
		needsMore: !isJoined || !followsOn(entries, before, orderBefore !== 0),
		/** The number of known messages with a later time than all messages so far. */
		reused: entries.filter(({ kind, time = 0 }) => kind === 'known' && time > newest).length,
		...remember(entries, state, before.length, order, hasTimes ? byTime?.field : undefined),
	};
}

/**
 * Finds the end of the list with the newest messages, which docs/api.md does not specify. Many times in order are certain. Otherwise
 * positions show it, because new messages are newer than known ones. But each poll only adds to the result of earlier ones: a message may
 * be pinned, and a deletion moves old messages into the list.
 *
 * @returns `order` of `PollState`, and whether this poll can rely on it
 */
export function findOrder(
	pages: KeyedMessage[][],
	byTime: Pick<OrderByTime, 'order' | 'steps'> | undefined,
	state: PollState | undefined,
): { order: number; isCertain: boolean } {
	const { order: orderByTime = 0, steps = 0 } = byTime ?? {};
	if (orderByTime !== 0 && steps >= ENOUGH_STEPS) {
		return { order: orderByTime * MAX_ORDER, isCertain: true };
	}
	const { known = [], recheckAfter, order: stored = 0 } = state ?? {};
	const ages = new Map(known.map((key, age) => [key, age]));
	const knownAges = pages.map((page) => page.flatMap(({ key }) => ages.get(key) ?? []));
	const descents = knownAges.flatMap((page) =>
		page.slice(1).map((age, i) => Math.sign(page[i] - age)),
	);
	const isTurned = stored * descents.reduce((a, b) => a + b, 0) < 0;
	// The service has changed its order.
	const before = isTurned ? -Math.sign(stored) : stored;
	// A single known message may be pinned, so it says nothing against the result of earlier polls.
	const isTelling = stored === 0 || known.length === 1 || knownAges.flat().length !== 1;
	// On further pages, messages that the last poll could not read are older than known ones.
	const telling = recheckAfter !== undefined && stored !== 0 ? pages.slice(0, 1) : pages;
	const byPosition = telling
		.map((page) => findOrderByPosition(page.map(({ key }) => ages.has(key))))
		.find((order) => order !== 0);
	const vote = (isTelling && byPosition) || (before === 0 ? orderByTime : 0);
	const order = Math.min(MAX_ORDER, Math.max(-MAX_ORDER, before + vote || vote));
	return { order, isCertain: Math.abs(before) >= CERTAIN };
}

/** Creates the entries of a list. If a message is listed twice, the newer position counts. */
function createEntries(sorted: KeyedMessage[], known: string[], byTime?: OrderByTime) {
	const knownKeys = new Set(known);
	const entries = new Map<string, ListedMessage>();
	for (const { message, key } of sorted) {
		entries.delete(key);
		const time = byTime?.read(message);
		entries.set(key, { message, key, kind: knownKeys.has(key) ? 'known' : 'new', time });
	}
	return [...entries.values()];
}

/** Marks messages that are neither known nor new. In doubt, e.g. with equal times, a message is new. */
function markOld(
	entries: ListedMessage[],
	before: string[],
	isCertain: boolean,
	times: KnownTimes | undefined,
): void {
	const keys = new Set(before);
	const knownBefore = entries.filter(({ key }) => keys.has(key));
	const isPlaced = before.length === 1 || knownBefore.length > 1;
	const [oldestKnown] = knownBefore;
	if (oldestKnown && !isCertain) return;
	const firstKnown = oldestKnown ?? entries.find(({ kind }) => kind === 'known');
	const limit = times?.oldest ?? oldestKnown?.time;
	for (const entry of entries.slice(0, firstKnown && entries.indexOf(firstKnown))) {
		const { kind, time } = entry;
		if (kind === 'known') continue;
		if (time !== undefined && limit !== undefined) entry.kind = time < limit ? 'passed' : 'new';
		else if (oldestKnown && isPlaced) entry.kind = 'behind';
	}
}

/** Whether messages later than those with the given keys, the oldest first, follow directly on them, so that none is missing. */
function followsOn(entries: ListedMessage[], before: string[], isOrderKnown: boolean): boolean {
	const keys = new Set(before);
	const isAnchor = ({ key }: ListedMessage) => keys.has(key);
	const firstLater = entries.findIndex(
		(entry) => entry.kind === 'new' || (entry.kind === 'known' && !isAnchor(entry)),
	);
	const earlier = entries.slice(0, firstLater);
	// Times alone are no proof that nothing is missing: a clock may have been set back.
	const isListed = entries.length === 0 || entries.some(({ kind }) => kind === 'known');
	if (firstLater === -1 || earlier.some(({ kind }) => kind === 'passed')) return isListed;
	const anchor = earlier.find(isAnchor);
	if (!anchor) return false;
	const isNewest = !isOrderKnown || anchor.key === before[before.length - 1];
	return isNewest || entries.filter(isAnchor).length > 1;
}
