import type { KeyedMessage } from '../../messages/messageKey';
import { findOrderByPosition } from '../../messages/messageOrder';
import type { PollState } from './pollState';

/** The number of agreeing polls that make an order certain. */
const CERTAIN = 3;
const MAX_ORDER = 6;

/** The number of times in order that cannot be chance. */
const ENOUGH_STEPS = 10;

/**
 * Finds the end of the list with the newest messages, which docs/api.md does not specify. Many times in order are certain. Otherwise
 * positions show it, because new messages are newer than known ones. But each poll only adds to the result of earlier ones, because of
 * pinned and deleted messages. @returns `order` of `PollState`, and whether this poll can rely on it
 */
export function findOrder(
	pages: KeyedMessage[][],
	byTime: { order: number; steps: number },
	state: PollState | undefined,
): { order: number; isCertain: boolean } {
	if (byTime.order !== 0 && byTime.steps >= ENOUGH_STEPS)
		return { order: byTime.order * MAX_ORDER, isCertain: true };
	const { known = [], recheckAfter, order: stored = 0 } = state ?? {};
	const ages = new Map(known.map((key, age) => [key, age]));
	const knownAges = pages.map((page) => page.flatMap(({ key }) => ages.get(key) ?? []));
	// Known messages the other way round: the service has changed its order.
	const descents = knownAges.flatMap((ages) => ages.slice(1).map((age, i) => ages[i] - age));
	const isTurned = stored * descents.reduce((sum, one) => sum + Math.sign(one), 0) < 0;
	const orderSoFar = isTurned ? -Math.sign(stored) : stored;
	// A single known message may be pinned, so it says nothing against the result of earlier polls.
	const isTelling = stored === 0 || known.length === 1 || knownAges.flat().length !== 1;
	// On further pages, messages that the last poll could not read are older than known ones.
	const telling = recheckAfter !== undefined && stored !== 0 ? pages.slice(0, 1) : pages;
	const byPosition = telling
		.map((page) => findOrderByPosition(page.map(({ key }) => ages.has(key))))
		.find((order) => order !== 0);
	const vote = (isTelling && byPosition) || (orderSoFar === 0 ? byTime.order : 0);
	// An order that was seen once gives way to the opposite one.
	const order = orderSoFar + vote === 0 ? vote : orderSoFar + vote;
	return {
		order: Math.min(MAX_ORDER, Math.max(-MAX_ORDER, order)),
		isCertain: Math.abs(orderSoFar) >= CERTAIN,
	};
}
