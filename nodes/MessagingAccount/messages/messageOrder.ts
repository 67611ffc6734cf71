import { getField, listPlainFields } from '../shared/fields';
import type { KeyedMessage } from './messageKey';

/** What the times of messages tell of the order of their list, which docs/api.md does not specify. */
export interface OrderByTime {
	/** Dot path of the time. */
	field: string;
	/** 1 if the newest is first, -1 if it is last, 0 if the times are in no order. */
	order: number;
	/** Between how many neighbors the time differs. */
	steps: number;
}

/** Enough to tell the order, however long the list is. */
const MAX_COMPARED = 200;

/** Of five steps, four must be in the same direction: a message may be late or pinned. */
const MIN_AGREEMENT = 0.6;

/**
 * Finds the order of a list from the times of its messages. Fields that are named like a time and have such values, at the top level
 * or one level down, are compared: the one that puts most neighbors in the same order is used.
 *
 * @returns undefined if there is no such field
 */
export function findOrderByTime(messages: unknown[]): OrderByTime | undefined {
	const compared = messages.slice(0, MAX_COMPARED);
	return findBestOrder(compared, [...new Set(compared.flatMap(listTimeFields))]);
}

/**
 * Finds the same from numeric IDs at the top level, because these usually count up.
 *
 * @returns undefined if they are in no order
 */
export function findOrderById(messages: unknown[]): OrderByTime | undefined {
	const byId = findBestOrder(messages.slice(0, MAX_COMPARED), ['id', '_id']);
	return byId?.order === 0 ? undefined : byId;
}

function findBestOrder(messages: unknown[], fields: string[]): OrderByTime | undefined {
	let best: OrderByTime | undefined;
	let bestVotes = -1;
	for (const field of fields) {
		const times = messages.map((message) => getTime(message, field) ?? NaN);
		if (times.every(Number.isNaN)) continue;
		// A neighbor without a time, or with the same one, tells nothing.
		const steps = times.slice(1).map((time, i) => Math.sign(times[i] - time));
		const telling = steps.filter(Boolean);
		const votes = telling.reduce((a, b) => a + b, 0);
		if (Math.abs(votes) <= bestVotes) continue;
		bestVotes = Math.abs(votes);
		const isClear = telling.length > 0 && bestVotes >= MIN_AGREEMENT * telling.length;
		best = { field, order: isClear ? Math.sign(votes) : 0, steps: telling.length };
	}
	return best;
}

/** @returns the time in its original unit; undefined if the message has none there */
export function getTime(message: unknown, field: string): number | undefined {
	return parseTime(getField(message, field));
}

/**
 * Finds the order of a list from what is known of it: new messages are newer than known ones.
 *
 * @param isKnown for each message, in the order of the list
 * @returns as in `OrderByTime`
 */
export function findOrderByPosition(isKnown: boolean[]): number {
	let knownSoFar = 0;
	let votes = 0;
	for (const [index, known] of isKnown.entries()) {
		votes += known ? index - knownSoFar : -knownSoFar;
		if (known) knownSoFar++;
	}
	return Math.sign(votes);
}

/**
 * Sorts the messages of all pages, the oldest first.
 *
 * @param pages the first one has the newest messages, at either end
 * @param order positive if the newest are first, negative if they are last. If 0, nobody knows: they count as
 * last, but on one of several pages, which go back in time, as first
 */
export function sortOldestFirst(pages: KeyedMessage[][], order = 0): KeyedMessage[] {
	const isNewestFirst = order === 0 ? pages.length > 1 : order > 0;
	return isNewestFirst ? pages.flat().reverse() : pages.toReversed().flat();
}

const TIME_NAME = /time|date|stamp|created|_at$|At$|^ts$/i;
/** Names like those of fields that change after the message was sent. */
export const MUTABLE_NAME =
	/read|seen|deliver|update|edit|modif|chang|expir|delete|stat(e|us)|ack|count|view|reaction/i;

/** Whether a field has a name like that of a time that never changes. */
export function isTimeName(name: string): boolean {
	return TIME_NAME.test(name) && !MUTABLE_NAME.test(name);
}

function listTimeFields(message: unknown): string[] {
	return listPlainFields(message).flatMap(([path, value]) =>
		isTimeName(path.split('.').pop()!) && parseTime(value) !== undefined ? [path] : [],
	);
}

const ISO_DATE = /^\d{4}-\d\d-\d\d/;
/** As in e-mails, e.g. “Sun, 22 Nov 2026 08:00:00 GMT”. */
const DATE_WITH_WEEKDAY = /^[A-Z][a-z]{2},? .*\d{4}/;
const EPOCH = /^\d{10,19}(\.\d+)?$/;

function parseTime(value: unknown): number | undefined {
	if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
	if (typeof value !== 'string') return undefined;
	if (EPOCH.test(value)) return Number(value);
	const time = ISO_DATE.test(value) || DATE_WITH_WEEKDAY.test(value) ? Date.parse(value) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
