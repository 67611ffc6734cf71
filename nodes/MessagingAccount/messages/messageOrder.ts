import { getField, listFields, MAX_FIELDS } from '../shared/fields';
import { listIdFields } from '../shared/idFieldNames';
import { isMutableName, isTimeName } from '../shared/names';
import { findFirstPart, looksLikeTime, parseTime } from './times';
import type { KeyedMessage } from './messageKey';

/** The order of a list as the times, or else growing IDs, in a field of its messages show it: docs/api.md does not specify it. */
export type ListOrder = ReturnType<typeof listOrders>[number];

/** Enough messages to find the order or the field of the IDs, however long the list is. */
export const MAX_COMPARED = 100;

/** The least share of net votes in the steps: four of five must go in the same direction, because a message may be late or pinned. */
const MIN_AGREEMENT = 0.6;

/**
 * Finds the order of a list from the times of its messages or, without any, from their numeric IDs: +1 or -1, or 0 if neither tells.
 * @param timeField whose times are wanted if messages have it, even if another one tells the order better
 */
export function findListOrder(messages: unknown[], timeField?: string) {
	const ordersByTime = listOrders(messages, listTimeFields, parseTime);
	const { order = 0, netVotes = 0 } = ordersByTime.at(0) ?? findOrderById(messages) ?? {};
	const byTime = ordersByTime.find(({ field }) => field === timeField) ?? ordersByTime.at(0);
	return { byTime, order, netVotes, count: messages.length };
}

/** Finds the order from numeric IDs, because these usually count up; undefined without any. */
export const findOrderById = (messages: unknown[]): ListOrder | undefined =>
	listOrders(messages, listIdFields, toNumber).at(0);

function toNumber(id: unknown): number | undefined {
	const isText = typeof id === 'string' && /^\d{10,19}$/.test(id);
	return isText || (typeof id === 'number' && id >= 0) ? Number(id) : undefined;
}

/** Lists the order that each field shows: first the one with which the most neighbors agree. */
function listOrders(
	messages: unknown[],
	listPaths: typeof listTimeFields,
	parse: typeof parseTime,
) {
	const compared = messages.slice(0, MAX_COMPARED);
	const depth = (path: string) => path.split('.').length;
	const paths = [...new Set(compared.flatMap(listPaths))].sort((a, b) => depth(a) - depth(b));
	const orders = paths.slice(0, MAX_FIELDS).flatMap((path) => {
		const values = compared.map((message) => getField(message, path));
		const firstPart = findFirstPart(values);
		const times = values.map((value) => parse(value, firstPart) ?? NaN);
		if (times.every(Number.isNaN)) return [];
		// A neighbor without a time, or with the same one, shows nothing.
		const steps = times.map((time, i) => Math.sign(times[i - 1] - time)).filter(Boolean);
		const votes = steps.reduce((a, b) => a + b, 0);
		const order = {
			/** The dot path and, of dates that begin with the day or the month, which one: it may turn out to be the other one. */
			field: firstPart ? `${path} ${firstPart}` : path,
			/** 1 if the newest is first, -1 if it is last, 0 if the times are in no order. */
			order: Math.abs(votes) >= MIN_AGREEMENT * steps.length ? Math.sign(votes) : 0,
			/** The number of neighbors between which the time differs. */
			steps: steps.length,
			/** How many more of them are in this order than in the other one. */
			netVotes: Math.abs(votes),
			/** Returns the time of a message in ms since 1970, or its numeric ID; undefined if it has none. */
			read: (message: unknown) => parse(getField(message, path), firstPart),
		};
		return [order];
	});
	return orders.sort((a, b) => b.netVotes - a.netVotes);
}

/**
 * Finds the order of a list from its known messages, because new ones are newer: among all pairs of a known and a new message, it counts
 * those with the new one first against the others. This is the Mann-Whitney U statistic. @param isKnown for each message of the list
 */
export function findOrderByPosition(isKnown: boolean[]): number {
	const places = isKnown.flatMap((known, place) => (known ? [place] : []));
	const newCount = isKnown.length - places.length;
	// For each known one, the new ones in front of it, less those behind it.
	const votes = places.reduce((sum, place, i) => sum + 2 * (place - i) - newCount, 0);
	return Math.sign(votes);
}

/**
 * Sorts the messages of pages that go back in time: the oldest first.
 * @param order positive if the newest are first on a page, negative if they are last; if it is 0, they count as last, on several pages as first
 * @example sortOldestFirst([[d, c], [b, a]], 1) // [a, b, c, d], as with [[c, d], [a, b]] and -1
 */
export function sortOldestFirst(pages: KeyedMessage[][], order = 0): KeyedMessage[] {
	const isNewestFirst = order === 0 ? pages.length > 1 : order > 0;
	return isNewestFirst ? pages.flat().reverse() : pages.toReversed().flat();
}

/** Takes the newest messages in the order of the list, by time or, if some have none, from its newest end, and says if that is certain. */
export function takeNewest(pages: KeyedMessage[][], limit: number) {
	const all = pages.flat();
	if (all.length <= limit) return { newest: all.map(({ message }) => message), isCertain: true };
	const { byTime, order } = findListOrder(pages[0].map(({ message }) => message));
	const readTime = (one: KeyedMessage) => byTime?.read(one.message) ?? NaN;
	// Messages with the same time stay in the order of the list.
	const timed = sortOldestFirst(pages, order).map((one) => ({ one, time: readTime(one) }));
	const hasTimes = !timed.some(({ time }) => Number.isNaN(time));
	if (hasTimes) timed.sort((a, b) => a.time - b.time);
	const newest = new Set(timed.slice(-limit).map(({ one }) => one));
	return {
		newest: all.flatMap((one) => (newest.has(one) ? [one.message] : [])),
		isCertain: hasTimes || order !== 0,
	};
}

/** Takes the newest messages from their end of a list that is too long to compare; undefined if nothing shows which end it is. */
export function takeNewestEnd(messages: unknown[], limit: number): unknown[] | undefined {
	if (messages.length <= limit) return messages;
	const { order } = findListOrder(messages);
	if (order === 0) return undefined;
	return order > 0 ? messages.slice(0, limit) : messages.slice(-limit);
}

/** Fields of a chat, a person or a group, which have times of their own, e.g. that of their creation. */
const ENTITY_FIELD =
	/(^|\.)(chat|contact|sender|user|from|author|group|profile|customer|client|lead|conversation|dialog|thread|room|channel|peer|member)(\.|[ _-]?(created|since|joined|registered))|birth|appointment/i;

/** Lists fields that are named like a time and have one, or whose value can be nothing else. */
function listTimeFields(message: unknown): string[] {
	return listFields(message).flatMap(([path, value]) => {
		// Values first: a list has thousands, and to read the words of a name takes longer.
		const isNamed = parseTime(value) !== undefined && isTimeName(path.split('.').pop()!);
		const isTime = isNamed || (looksLikeTime(value) && !isMutableName(path));
		return isTime && !ENTITY_FIELD.test(path) ? [path] : [];
	});
}
