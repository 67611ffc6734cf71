import type { KeyedMessage } from '../../messages/messageKey';
import {
	findOrderById,
	findOrderByTime,
	getTime,
	type OrderByTime,
} from '../../messages/messageOrder';
import { findListOrder, sortOldestFirst, type ListOrder } from './listOrder';
import type { MessageTime, PollState } from './pollState';

/** How many keys to keep at least. The service lists 100 messages. */
const MIN_KNOWN = 1000;

/** What one poll found, compared with what was known. */
export interface MessageDiff {
	/** All messages, each once, the oldest first. */
	listed: KeyedMessage[];
	/** Those that came since the last poll. */
	newMessages: KeyedMessage[];
	/** Whether messages may be missing. */
	hasGap: boolean;
	/** Whether further pages may have what this poll or an earlier one misses. */
	needsMore: boolean;
	order: ListOrder;
	/** The newest key that was known before; empty if there was none. */
	newestKnown: string;
	/** For the state. */
	known: string[];
	longestList: number;
	oldest?: MessageTime;
	newest?: MessageTime;
	/** How many known messages have a later time than all messages so far. */
	reused: number;
}

/** A listed message. The time is in its original unit. */
interface Entry extends KeyedMessage {
	isKnown: boolean;
	time?: number;
}

/**
 * - older: it was there before the known messages; its time tells
 * - behind: the same, but only its position tells
 */
type Kind = 'known' | 'new' | 'older' | 'behind';

/**
 * Decides which messages are new, and whether some may be missing. This must always be true, whatever a service lists:
 *
 * - What is known is not new. Anything else is, except what stands behind the oldest known message and is not newer by its time:
 *   a deletion, for example, has moved it into the list. For this, the order of the list must be certain.
 * - If the oldest new message does not follow on a known one, messages may be missing. One known message alone may be pinned, so
 *   it only counts if it was the newest one.
 *
 * @param pages in the service's order; the first one has the newest messages, at either end
 * @param state of the last poll; undefined for the first one
 */
export function diffMessages(pages: KeyedMessage[][], state: PollState | undefined): MessageDiff {
	const { known = [], recheckAfter, longestList = 0 } = state ?? {};
	const firstPage = new Map(pages[0].map(({ key, message }) => [key, message]));
	const messages = [...firstPage.values()];
	const byTime = findOrderByTime(messages) ?? findOrderById(messages);
	const order = findListOrder(pages, byTime, state);
	const knownKeys = new Set(known);
	const sorted = sortOldestFirst(pages, order.newestFirst);
	const entries = createEntries(sorted, knownKeys, byTime?.field);
	const oldest = state?.oldest?.field === byTime?.field ? state?.oldest : undefined;
	const newest = state?.newest?.field === byTime?.field ? state?.newest : undefined;
	/** Known before the gap that the next pages may fill, if there is one. */
	const before =
		recheckAfter === undefined ? known : known.slice(0, known.indexOf(recheckAfter) + 1);
	const kinds = findKinds(entries, { before, isCertain: order.isCertain, oldest });

	// What an earlier poll has missed is not reported again.
	const latest = recheckAfter === undefined ? 0 : Math.max(0, kinds.indexOf('known'));
	// Without an order, nobody knows which known message was the newest.
	const isOrderKnown = state?.newestFirst !== undefined;
	const isJoined = followsOn(entries.slice(latest), kinds.slice(latest), known, isOrderKnown);
	const length = Math.max(longestList, entries.length);
	const later = known.slice(before.length);
	const isOrderSame = order.newestFirst === state?.newestFirst;
	const updated = updateKnown({ before, later }, entries, kinds, isOrderSame);
	return {
		listed: entries,
		newMessages: entries.filter((_, i) => !state || kinds[i] === 'new'),
		hasGap: known.length === 0 ? isRound(entries.length) : !isJoined || kinds.includes('behind'),
		needsMore: known.length === 0 || !isJoined || !followsOn(entries, kinds, before, isOrderKnown),
		order,
		known: limitKnown(updated, entries, Math.max(MIN_KNOWN, length)),
		newestKnown: updated.findLast((key) => knownKeys.has(key)) ?? '',
		longestList: length,
		...findTimes(entries, byTime, newest),
		reused: entries.filter(
			({ isKnown, time = -Infinity }) => isKnown && newest && time > newest.time,
		).length,
	};
}

/**
 * Adds what is listed to the known keys. Those keep their order, so that a pinned message does not become the newest one; unless
 * the order of the list was not known until now.
 *
 * @param before what was known before a gap that this poll may fill; everything if there is none
 * @param later what is known after it
 */
function updateKnown(
	{ before, later }: { before: string[]; later: string[] },
	entries: Entry[],
	kinds: Kind[],
	isOrderSame: boolean,
): string[] {
	const keysOf = (isWanted: (kind: Kind, i: number) => boolean) =>
		entries.filter((_, i) => isWanted(kinds[i], i)).map(({ key }) => key);
	if (isOrderSame) {
		const laterKeys = new Set(later);
		const end = entries.findIndex(({ key }) => laterKeys.has(key));
		return [
			...keysOf((kind) => kind === 'older' || kind === 'behind'),
			...before,
			...keysOf((kind, i) => kind === 'new' && i < end),
			...later,
			...keysOf((kind, i) => kind === 'new' && i >= end),
		];
	}
	const listed = new Set(entries.map(({ key }) => key));
	return [...[...before, ...later].filter((key) => !listed.has(key)), ...listed];
}

/** Drops the oldest keys of messages that are not listed. */
function limitKnown(known: string[], entries: Entry[], max: number): string[] {
	const listed = new Set(entries.map(({ key }) => key));
	let surplus = known.length - max;
	return known.filter((key) => listed.has(key) || surplus-- <= 0);
}

/** Each key once: a service may list a message twice. */
function createEntries(
	sorted: KeyedMessage[],
	knownKeys: Set<string>,
	timeField?: string,
): Entry[] {
	const entries = new Map<string, Entry>();
	for (const { message, key } of sorted) {
		if (entries.has(key)) continue;
		const time = timeField === undefined ? undefined : getTime(message, timeField);
		entries.set(key, { message, key, isKnown: knownKeys.has(key), time });
	}
	return [...entries.values()];
}

function findKinds(
	entries: Entry[],
	{ before, isCertain, oldest }: { before: string[]; isCertain: boolean; oldest?: MessageTime },
): Kind[] {
	const keys = new Set(before);
	const knownBefore = entries.filter(({ key }) => keys.has(key));
	const oldestKnown = knownBefore.at(0);
	const isPlaced = before.length === 1 || knownBefore.length > 1;
	let isBehind = oldestKnown !== undefined;
	return entries.map((entry) => {
		if (entry === oldestKnown) isBehind = false;
		if (entry.isKnown) return 'known';
		const { time } = entry;
		if (!oldestKnown) return isNumber(time) && oldest && time < oldest.time ? 'older' : 'new';
		if (!isBehind || !isCertain) return 'new';
		if (isNumber(time) && isNumber(oldestKnown.time)) {
			return time <= oldestKnown.time ? 'older' : 'new';
		}
		return isPlaced ? 'behind' : 'new';
	});
}

/**
 * Whether the messages that came after the given ones follow on them, so that none is missing.
 *
 * @param before their keys, the oldest first
 */
function followsOn(
	entries: Entry[],
	kinds: Kind[],
	before: string[],
	isOrderKnown: boolean,
): boolean {
	const keys = new Set(before);
	const isAnchor = ({ key }: Entry) => keys.has(key);
	const firstLater = entries.findIndex(
		(entry, i) => kinds[i] === 'new' || (kinds[i] === 'known' && !isAnchor(entry)),
	);
	if (firstLater === -1 || kinds.slice(0, firstLater).includes('older')) return true;
	const anchor = entries.slice(0, firstLater).find(isAnchor);
	if (!anchor) return false;
	const isNewest = !isOrderKnown || anchor.key === before[before.length - 1];
	return isNewest || entries.filter(isAnchor).length > 1;
}

/** Whether a list of an account that was empty may be cut off at this length: it is a usual length of a page. */
function isRound(length: number): boolean {
	return length > 0 && (length % 10 === 0 || length % 25 === 0);
}

/** @param before the latest time until now */
function findTimes(
	entries: Entry[],
	byTime: OrderByTime | undefined,
	before: MessageTime | undefined,
): { oldest?: MessageTime; newest?: MessageTime } {
	const times = entries.map(({ time }) => time).filter(isNumber);
	if (byTime?.newestFirst === undefined || times.length === 0) return { newest: before };
	const { field } = byTime;
	const latest = times.reduce((a, b) => Math.max(a, b), before?.time ?? -Infinity);
	return {
		oldest: { field, time: times.reduce((a, b) => Math.min(a, b)) },
		newest: { field, time: latest },
	};
}

function isNumber(value: number | undefined): value is number {
	return value !== undefined;
}
