import type { KeyedMessage } from '../../messages/messageKey';
import { findOrderByPosition, type findListOrder } from '../../messages/messageOrder';
import type { PollState } from './pollState';

/** The number of agreeing polls that make an order certain. */
const CERTAIN = 3;
const MAX_AGREEMENT = 6;

/** The shortest usual page. The times of fewer messages are no proof: a clock may be set back behind the first poll. */
const ENOUGH_MESSAGES = 10;
/** Their net votes that cannot be chance: two pairs may have one time. */
const ENOUGH_VOTES = 7;

/**
 * Finds the end of the list with the newest messages. Many times in order are certain. Otherwise positions show it, because new messages are
 * newer than known ones. But each poll has only one vote, because of pinned and deleted messages. Against an order that is known, a single
 * listed message of several has none: it may be pinned. Nor has a further page after a poll that could not read all: messages there are
 * older than known ones. @returns `order` of `PollState`, and whether this poll can rely on it
 *
 * | order before | vote | order |
 * | --- | --- | --- |
 * | 3 | 1, none or -1 | 4, 3 or 2 |
 * | 1 | -1 | -1: one that was seen once gives way |
 * | 3, and known messages are listed the other way round | none or -1 | -1 or -2 |
 */
export function findOrder(
	pages: KeyedMessage[][],
	listOrder: Omit<ReturnType<typeof findListOrder>, 'byTime'>,
	state: PollState | undefined,
) {
	const { count, netVotes } = listOrder;
	if (listOrder.order !== 0 && count >= ENOUGH_MESSAGES && netVotes >= ENOUGH_VOTES)
		return { order: listOrder.order * MAX_AGREEMENT, isCertain: true };
	const { known = [], recheckAfter, order: agreement = 0 } = state ?? {};
	/** The higher the rank of a known message, the newer it is. */
	const ranks = new Map(known.map((key, rank) => [key, rank]));
	const isKnown = ({ key }: KeyedMessage) => ranks.has(key);
	const listedCount = pages.flat().filter(isKnown).length;
	const agreementBefore = isTurned(pages, ranks, agreement) ? -Math.sign(agreement) : agreement;
	const mayBePinned = agreement !== 0 && known.length !== 1 && listedCount === 1;
	const voters = recheckAfter !== undefined && agreement !== 0 ? pages.slice(0, 1) : pages;
	const positions = voters.map((page) => findOrderByPosition(page.map(isKnown)));
	const byPosition = mayBePinned ? undefined : positions.find((order) => order !== 0);
	// As long as no order is known, a few times or IDs tell it.
	const vote = byPosition ?? (agreementBefore === 0 ? listOrder.order : 0);
	// If they cancel each other out, the order was seen only once, and gives way to the vote.
	const order = agreementBefore + vote || vote;
	const isCertain = Math.abs(agreementBefore) >= CERTAIN;
	return { order: Math.min(MAX_AGREEMENT, Math.max(-MAX_AGREEMENT, order)), isCertain };
}

/** Whether known messages next to each other are listed the other way round: the service has changed its order. */
function isTurned(pages: KeyedMessage[][], ranks: Map<string, number>, agreement: number): boolean {
	const votes = pages.flatMap((page) =>
		page.slice(1).map(({ key }, i) => Math.sign(ranks.get(page[i].key)! - ranks.get(key)!) || 0),
	);
	return agreement * votes.reduce((sum, one) => sum + one, 0) < 0;
}
