import type { KeyedMessage } from '../../messages/messageKey';
import { findListOrder, sortOldestFirst } from '../../messages/messageOrder';
import { classifyMessages, isKnown, type ListedMessage } from './classifyMessages';
import { findGap } from './gap';
import type { ChosenIdField } from './idField';
import type { Options } from './options';
import { findOrder } from './orderAcrossPolls';
import { renewKeys, getDetected, readPollState, type PollState } from './pollState';
import { addListed, updateTimes } from './remember';

/** What a poll has read of the list. */
export interface List extends ChosenIdField {
	/** In the service's order; the first one has the newest messages, at either end. */
	pages: KeyedMessage[][];
	/** Set if the next page was not read: because of this error, or for lack of time. */
	cutShort?: { error?: Error };
}

export type Comparison = ReturnType<typeof compare>;

export function compare(stored: unknown, list: List, account: string, options: Options) {
	const { state: before, startsOver, held } = readPollState(stored, account, options.asked);
	const state = before && renewKeys(before, list.pages, list.field);
	const difference = diffMessages(list.pages, state);
	// The first poll, and one that starts over, has none: the listed messages were there before.
	const last = startsOver ? undefined : state;
	const needsPage = difference.needsMore && (last !== undefined || options.emitsExisting);
	const detectedBefore = getDetected(before)?.field;
	return { startsOver, held, state, last, detectedBefore, difference, needsPage };
}

/**
 * Decides which messages are new, and whether some may be missing: docs/design/new-messages.md has the invariants.
 * @param pages in the service's order; the first one has the newest messages, at either end @param state undefined for the first poll
 */
export function diffMessages(pages: KeyedMessage[][], state: PollState | undefined) {
	const { known = [], recheckAfter, order: orderBefore = 0 } = state ?? {};
	const firstPage = new Map(pages[0].map(({ key, message }) => [key, message]));
	const listOrder = findListOrder([...firstPage.values()], state?.times?.field);
	const { order, isCertain } = findOrder(pages, listOrder, state);
	const { byTime } = listOrder;
	const times = state?.times?.field === byTime?.field ? state?.times : undefined;
	// The known messages that end with the mark are anchors: what follows them may have a gap. Without a mark, all are.
	const anchorCount = recheckAfter === undefined ? known.length : known.indexOf(recheckAfter) + 1;
	const sorted = dropRepeated(sortOldestFirst(pages, order));
	const timed = sorted.map((one) => ({ ...one, time: byTime?.read(one.message) }));
	const listed = classifyMessages(timed, known, anchorCount, isCertain, times);
	const ofKind = (kind: ListedMessage['kind']) => listed.filter((one) => one.kind === kind);
	const isLater = ({ time = 0 }: ListedMessage) => times !== undefined && time > times.newest;
	const isSameOrder = Math.sign(order) === Math.sign(orderBefore);
	const nextKnown = addListed(known, anchorCount, listed, isSameOrder);
	const knownKeys = new Set(known);
	return {
		/** All messages, each once, the oldest first. */
		listed,
		newMessages: ofKind('new'),
		...findGap(listed, anchorCount, state),
		/** The number of messages that stand among new ones, but are older than the first poll. */
		outdated: ofKind('outdated').length,
		/** The number of known messages with a later time than all messages so far. */
		reused: listed.filter((one) => isKnown(one) && isLater(one)).length,
		/** The newest key that was known before; empty if there was none. */
		newestKnown: nextKnown.findLast((key) => knownKeys.has(key)) ?? '',
		next: { known: nextKnown, order, times: updateTimes(byTime, listed, state, times, isCertain) },
	};
}

/** If a message is listed twice, its newer position counts. */
function dropRepeated(messages: KeyedMessage[]): KeyedMessage[] {
	const positions = new Map(messages.map(({ key }, i) => [key, i]));
	return messages.filter(({ key }, i) => positions.get(key) === i);
}
