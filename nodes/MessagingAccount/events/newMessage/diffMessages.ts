import type { KeyedMessage } from '../../messages/messageKey';
import { findListOrder, findOrderByPosition, sortOldestFirst } from '../../messages/messageOrder';
import type { PollState } from './pollState';

type ListOrder = ReturnType<typeof findListOrder>;

/** The most messages to compare, and keys to keep: 50 times as many as a service usually lists. */
export const MAX_KNOWN = 5000;

/**
 * A listed message: `passed` is older than the known ones by its time, `behind` only by its position. `outdated` stands among new ones, but
 * its time proves that it was there before the first poll, e.g. in a list that is sorted by the last change.
 */
export interface ListedMessage extends KeyedMessage {
	kind: 'known' | 'new' | 'passed' | 'behind' | 'outdated';
	/** The time in ms since 1970. */
	time?: number;
}

/** The number of agreeing polls that make an order certain. */
const CERTAIN = 3;
const MAX_ORDER = 6;

/** The number of times in order that cannot be chance. */
const ENOUGH_STEPS = 10;

/** How many new messages must have been later than all before, so that times count against positions, and how many count at most. */
const ENOUGH_PROOF = 10;
const MAX_PROOF = 12;

export type Difference = ReturnType<typeof diffMessages>;

/**
 * Decides which messages are new, and whether some may be missing: docs/new-messages.md has the invariants. One that is listed as older
 * than all known ones, e.g. after a deletion, is judged by its time or, without one, by its position, once the order of the list is certain.
 * If no known message is listed, only the time counts. A single known message may be pinned, so it counts only if it was the newest.
 * @param pages in the service's order; the first one has the newest messages, at either end @param state undefined for the first poll
 */
export function diffMessages(pages: KeyedMessage[][], state: PollState | undefined) {
	const { known = [], recheckAfter, order: orderBefore = 0 } = state ?? {};
	const firstPage = [...new Map(pages[0].map(({ key, message }) => [key, message])).values()];
	const { byTime, ...found } = findListOrder(firstPage);
	const times = state?.times?.field === byTime?.field ? state?.times : undefined;
	const { order, isCertain } = findOrder(pages, found, state);
	/** All known keys if there is no gap that further pages may fill. */
	const knownBeforeGap =
		recheckAfter === undefined ? known : known.slice(0, known.indexOf(recheckAfter) + 1);
	const entries = createEntries(sortOldestFirst(pages, order), known, byTime);
	markOld(entries, knownBeforeGap, isCertain, times?.oldest);
	if (times?.oldest !== undefined && (times.proof ?? 0) >= ENOUGH_PROOF)
		markOutdated(entries, times.oldest, times.proof!);

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
		newMessages: entries.filter(({ kind }) => kind === 'new'),
		hasGap: known.length === 0 ? isCutOff : !isJoined || isBehind,
		/** Whether further pages may have messages that this poll or an earlier one misses. */
		needsMore: !isJoined || !followsOn(entries, knownBeforeGap, orderBefore !== 0),
		/** The number of known messages with a later time than all messages so far. */
		reused: entries.filter(({ kind, time = 0 }) => kind === 'known' && time > newest).length,
		/** The number of messages that stand among new ones, but are older than the first poll. */
		outdated: entries.filter(({ kind }) => kind === 'outdated').length,
		...remember(entries, state, knownBeforeGap.length, order, hasTimes ? byTime?.field : undefined),
	};
}

/**
 * Finds the end of the list with the newest messages, which docs/api.md does not specify. Many times in order are certain. Otherwise
 * positions show it, because new messages are newer than known ones. But each poll only adds to the result of earlier ones, because of
 * pinned and deleted messages. @returns `order` of `PollState`, and whether this poll can rely on it
 */
export function findOrder(
	pages: KeyedMessage[][],
	{ order: orderByTime, steps }: Omit<ListOrder, 'byTime'>,
	state: PollState | undefined,
): { order: number; isCertain: boolean } {
	if (orderByTime !== 0 && steps >= ENOUGH_STEPS)
		return { order: orderByTime * MAX_ORDER, isCertain: true };
	const { known = [], recheckAfter, order: stored = 0 } = state ?? {};
	const ages = new Map(known.map((key, age) => [key, age]));
	const knownAges = pages.map((page) => page.flatMap(({ key }) => ages.get(key) ?? []));
	const descents = knownAges.flatMap((page) =>
		page.slice(1).map((age, i) => Math.sign(page[i] - age)),
	);
	const isTurned = stored * descents.reduce((a, b) => a + b, 0) < 0;
	// The service has changed its order.
	const orderSoFar = isTurned ? -Math.sign(stored) : stored;
	// A single known message may be pinned, so it says nothing against the result of earlier polls.
	const isTelling = stored === 0 || known.length === 1 || knownAges.flat().length !== 1;
	// On further pages, messages that the last poll could not read are older than known ones.
	const telling = recheckAfter !== undefined && stored !== 0 ? pages.slice(0, 1) : pages;
	const byPosition = telling
		.map((page) => findOrderByPosition(page.map(({ key }) => ages.has(key))))
		.find((order) => order !== 0);
	const vote = (isTelling && byPosition) || (orderSoFar === 0 ? orderByTime : 0);
	// An order that was seen once gives way to the opposite one.
	const sum = orderSoFar + vote === 0 ? vote : orderSoFar + vote;
	const order = Math.min(MAX_ORDER, Math.max(-MAX_ORDER, sum));
	return { order, isCertain: Math.abs(orderSoFar) >= CERTAIN };
}

/** Creates the entries of a list. If a message is listed twice, the newer position counts. */
function createEntries(sorted: KeyedMessage[], known: string[], byTime: ListOrder['byTime']) {
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
	knownBeforeGap: string[],
	isCertain: boolean,
	oldest: number | undefined,
): void {
	const keys = new Set(knownBeforeGap);
	const listedAgain = entries.filter(({ key }) => keys.has(key));
	const isPlaced = knownBeforeGap.length === 1 || listedAgain.length > 1;
	const [oldestKnown] = listedAgain;
	if (oldestKnown && !isCertain) return;
	const firstKnown = oldestKnown ?? entries.find(({ kind }) => kind === 'known');
	const limit = oldest ?? oldestKnown?.time;
	for (const entry of entries.slice(0, firstKnown && entries.indexOf(firstKnown))) {
		const { kind, time } = entry;
		if (kind === 'known') continue;
		if (time !== undefined && limit !== undefined) entry.kind = time < limit ? 'passed' : 'new';
		else if (oldestKnown && isPlaced) entry.kind = 'behind';
	}
}

/**
 * Marks messages that are older than all of the first poll. A clock that is set back looks the same at first: so they take proof from the
 * times, which soon count no more, and are no more than that.
 */
function markOutdated(entries: ListedMessage[], oldest: number, proof: number): void {
	const isOlder = ({ kind, time = Infinity }: ListedMessage) => kind === 'new' && time < oldest;
	for (const entry of entries.filter(isOlder).slice(0, proof)) entry.kind = 'outdated';
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

/**
 * Adds the listed messages, the oldest first, to the known ones.
 * @param countBeforeGap how many were known before the gap that this poll may fill @param timeField undefined if times do not show the order
 */
function remember(
	listed: ListedMessage[],
	state: PollState | undefined,
	countBeforeGap: number,
	order: number,
	timeField: string | undefined,
) {
	const { known = [], order: orderBefore = 0 } = state ?? {};
	const listedKeys = new Set(listed.map(({ key }) => key));
	// Known keys keep their order unless that of the list was not known until now, or has changed.
	const updated =
		Math.sign(order) === Math.sign(orderBefore)
			? addListed(known, countBeforeGap, listed)
			: [...known.filter((key) => !listedKeys.has(key)), ...listedKeys];
	// The oldest keys of messages that are not listed are dropped.
	const unlisted = updated.filter((key) => !listedKeys.has(key));
	const dropped = new Set(unlisted.slice(0, Math.max(0, updated.length - MAX_KNOWN)));
	const kept = updated.filter((key) => !dropped.has(key));
	const knownKeys = new Set(known);
	return {
		/** The newest key that was known before; empty if there was none. */
		newestKnown: updated.findLast((key) => knownKeys.has(key)) ?? '',
		next: { known: kept, order, times: updateTimes(listed, timeField, state, order) },
	};
}

/** Adds listed messages to the known keys, which keep their order, so that a pinned message does not become the newest one. */
function addListed(known: string[], countBeforeGap: number, listed: ListedMessage[]): string[] {
	const later = new Set(known.slice(countBeforeGap));
	const keysOf = (some: ListedMessage[], ...kinds: Array<ListedMessage['kind']>) =>
		some.flatMap(({ key, kind }) => (kinds.includes(kind) ? key : []));
	const firstLater = listed.findIndex(({ key }) => later.has(key));
	const end = Math.max(0, firstLater);
	return [
		...keysOf(listed, 'passed', 'behind', 'outdated'),
		...known.slice(0, countBeforeGap),
		...keysOf(listed.slice(0, end), 'new'),
		...later,
		...keysOf(listed.slice(end), 'new'),
	];
}

function updateTimes(
	listed: ListedMessage[],
	field: string | undefined,
	state: PollState | undefined,
	order: number,
) {
	if (field === undefined) return state?.times;
	const times = state?.times?.field === field ? state.times : undefined;
	const all = listed.flatMap(({ time }) => time ?? []);
	if (all.length === 0) return times;
	// Many times in order prove themselves at the first poll.
	const atFirst = !state && Math.abs(order) === MAX_ORDER ? MAX_PROOF : 0;
	const { newest = Infinity, proof = atFirst } = times ?? {};
	const votes = listed.map(({ kind, time = NaN }) =>
		kind === 'outdated' ? -1 : kind === 'new' && state ? Math.sign(time - newest) || 0 : 0,
	);
	const sum = votes.reduce<number>((a, b) => a + b, proof);
	return {
		field,
		proof: Math.max(0, Math.min(MAX_PROOF, sum)),
		oldest: state ? times?.oldest : all.reduce((a, b) => Math.min(a, b)),
		newest: all.reduce((a, b) => Math.max(a, b), times?.newest ?? -Infinity),
	};
}
