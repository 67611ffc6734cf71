import {
	createIdReader,
	createKey,
	type IdField,
	type KeyedMessage,
} from '../../messages/messageKey';
import { sortOldestFirst } from '../../messages/messageOrder';
import type { PollState } from './pollState';

/** The most messages to compare, and keys to keep: 50 times as many as a service usually lists. */
export const MAX_KNOWN = 5000;

/** A listed message: `passed` is older than the known ones by its time, `behind` only by its position. */
export interface ListedMessage extends KeyedMessage {
	kind: 'known' | 'new' | 'passed' | 'behind';
	/** The time in ms since 1970. */
	time?: number;
}

/**
 * Adds the listed messages to the known ones.
 *
 * @param listed the oldest first
 * @param gap how many were known before the gap that this poll may fill; all if there is none
 * @param order of the list, see `PollState`
 * @param timeField undefined if times do not show the order
 */
export function remember(
	listed: ListedMessage[],
	state: PollState | undefined,
	gap: number,
	order: number,
	timeField: string | undefined,
) {
	const { known = [], order: orderBefore = 0 } = state ?? {};
	const listedKeys = new Set(listed.map(({ key }) => key));
	// Known keys keep their order unless that of the list was not known until now, or has changed.
	const updated =
		Math.sign(order) === Math.sign(orderBefore)
			? addListed(known, gap, listed)
			: [...known.filter((key) => !listedKeys.has(key)), ...listedKeys];
	// The oldest keys of messages that are not listed are dropped.
	let surplus = updated.length - MAX_KNOWN;
	const kept = updated.filter((key) => listedKeys.has(key) || surplus-- <= 0);
	const knownKeys = new Set(known);
	return {
		/** The newest key that was known before; empty if there was none. */
		newestKnown: updated.findLast((key) => knownKeys.has(key)) ?? '',
		/** The part of the next state. */
		next: { known: kept, order, times: updateTimes(listed, timeField, state) },
	};
}

/** Adds listed messages to the known keys, which keep their order, so that a pinned message does not become the newest one. */
function addListed(known: string[], gap: number, listed: ListedMessage[]): string[] {
	const later = new Set(known.slice(gap));
	const keysOf = (some: ListedMessage[], ...kinds: Array<ListedMessage['kind']>) =>
		some.flatMap(({ key, kind }) => (kinds.includes(kind) ? key : []));
	const firstLater = listed.findIndex(({ key }) => later.has(key));
	const end = Math.max(0, firstLater);
	return [
		...keysOf(listed, 'passed', 'behind'),
		...known.slice(0, gap),
		...keysOf(listed.slice(0, end), 'new'),
		...later,
		...keysOf(listed.slice(end), 'new'),
	];
}

function updateTimes(listed: ListedMessage[], field?: string, state?: PollState) {
	if (field === undefined) return state?.times;
	const times = state?.times?.field === field ? state.times : undefined;
	const all = listed.flatMap(({ time }) => time ?? []);
	if (all.length === 0) return times;
	return {
		field,
		oldest: state ? times?.oldest : all.reduce((a, b) => Math.min(a, b)),
		newest: all.reduce((a, b) => Math.max(a, b), times?.newest ?? -Infinity),
	};
}

/**
 * Returns the state for another ID field: a listed message that is known by its old key becomes known by its new one. If several share an
 * old key, only the oldest becomes known, because the others may be new.
 */
export function changeIdField(state: PollState, pages: KeyedMessage[][], idField: IdField) {
	if (state.idField === idField) return state;
	const readOldId = createIdReader(state.idField);
	const readNewId = createIdReader(idField);
	const newKeys = new Map<string, string>();
	for (const { message, key } of sortOldestFirst(pages, state.order)) {
		// If the host has moved the ID, the old field is gone and its value is in the new one.
		for (const oldId of [readOldId(message), readOldId(message) ?? readNewId(message)]) {
			const oldKey = createKey(message, state.idField, oldId);
			if (!newKeys.has(oldKey)) newKeys.set(oldKey, key);
		}
	}
	return { ...state, idField, known: state.known.map((key) => newKeys.get(key) ?? key) };
}
