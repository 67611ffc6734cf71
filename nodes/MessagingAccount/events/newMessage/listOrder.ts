import type { KeyedMessage } from '../../messages/messageKey';
import { isNewestFirstByPosition, type OrderByTime } from '../../messages/messageOrder';
import type { PollState } from './pollState';

/** With this many polls in agreement, an order is certain. */
const CERTAIN = 3;

const MAX_EVIDENCE = 6;

/** As many times in order cannot be chance. */
const ENOUGH_STEPS = 10;

/** At which end of the list the newest messages are. */
export interface ListOrder {
	/** Undefined if nothing tells. */
	newestFirst?: boolean;
	/** How many more polls told this order than the other one, up to `MAX_EVIDENCE`. */
	evidence: number;
	/** Whether it can be relied on in this poll. */
	isCertain: boolean;
}

/**
 * Finds out the order of the list, which docs/api.md does not specify. Many times in order are certain. Otherwise positions
 * tell, because new messages are newer than known ones, but each poll only adds to what earlier ones told: a message may be
 * pinned, and a deletion moves old messages into the list.
 *
 * @param byTime undefined if the messages have no times
 */
export function findListOrder(
	pages: KeyedMessage[][],
	byTime: OrderByTime | undefined,
	state: PollState | undefined,
): ListOrder {
	if (byTime?.newestFirst !== undefined && byTime.steps >= ENOUGH_STEPS) {
		return { newestFirst: byTime.newestFirst, evidence: MAX_EVIDENCE, isCertain: true };
	}
	const { newestFirst, evidence } = readOrder(pages, state);
	const isCertain = evidence >= CERTAIN;
	const observed = observeOrder(pages, state) ?? (evidence === 0 ? byTime?.newestFirst : undefined);
	if (observed === undefined) return { newestFirst, evidence, isCertain };
	if (observed === newestFirst) {
		return { newestFirst, evidence: Math.min(evidence + 1, MAX_EVIDENCE), isCertain };
	}
	return evidence > 1
		? { newestFirst, evidence: evidence - 1, isCertain }
		: { newestFirst: observed, evidence: 1, isCertain: false };
}

/** The order of earlier polls, unless known messages are now listed the other way round: then the service has changed it. */
function readOrder(
	pages: KeyedMessage[][],
	state: PollState | undefined,
): Omit<ListOrder, 'isCertain'> {
	if (state?.newestFirst === undefined) return { evidence: 0 };
	const { newestFirst, orderEvidence = 1 } = state;
	const ages = new Map(state.known.map((key, age) => [key, age]));
	const votes = pages.reduce((sum, page) => {
		const known = page.flatMap(({ key }) => ages.get(key) ?? []);
		return known.reduce(
			(pageSum, age, i) => pageSum + (i === 0 ? 0 : Math.sign(known[i - 1] - age)),
			sum,
		);
	}, 0);
	const isReversed = newestFirst ? votes < 0 : votes > 0;
	return isReversed
		? { newestFirst: !newestFirst, evidence: 1 }
		: { newestFirst, evidence: orderEvidence };
}

function observeOrder(pages: KeyedMessage[][], state: PollState | undefined): boolean | undefined {
	const keys = new Set(state?.known);
	// On further pages, messages that the last poll could not read are older than known ones.
	const isOpen = state?.recheckAfter !== undefined && state.newestFirst !== undefined;
	const telling = isOpen ? pages.slice(0, 1) : pages;
	const flags = telling.map((page) => page.map(({ key }) => keys.has(key)));
	const isAlone = flags.flat().filter(Boolean).length === 1;
	// A single known message may be pinned. It tells nothing against what earlier polls told.
	if (isAlone && state?.newestFirst !== undefined && keys.size > 1) return undefined;
	return flags.map(isNewestFirstByPosition).find((newestFirst) => newestFirst !== undefined);
}

/**
 * Sorts the messages of all pages, the oldest first.
 *
 * @param pages the first one has the newest messages, at either end
 * @param newestFirst within a page; if undefined, it counts as false
 */
export function sortOldestFirst(pages: KeyedMessage[][], newestFirst = false): KeyedMessage[] {
	return newestFirst ? pages.flat().reverse() : pages.toReversed().flat();
}
