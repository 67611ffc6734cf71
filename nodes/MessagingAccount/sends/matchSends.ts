import { groupBy } from '../shared/groupBy';
import { splitContent, type Attempt, type Send } from './send';

/** From the surest sign that an item is what was attempted to the weakest. */
const LEVELS: Array<(one: Attempt) => string | undefined> = [
	({ content }) => content,
	({ content }) => splitContent(content)[0],
	({ content }) => splitContent(content)[1] || undefined,
	({ number }) => String(number),
	() => '',
];

/**
 * Matches the sends of a recipient with its earlier attempts in the same round: each once, and in order.
 *
 * @param sends each with the number that it has if the list is the same
 * @param left attempts; those that match are taken out
 */
export function matchAttempts(sends: Send[], left: Set<Attempt>): Map<Attempt, Attempt> {
	const matched = new Map<Attempt, Attempt>();
	for (const keyOf of LEVELS) {
		if (left.size === 0) break;
		const queues = groupBy(left, keyOf);
		// The first one is taken from the end.
		for (const queue of queues.values()) queue.reverse();
		for (const send of sends) {
			const key = matched.has(send) ? undefined : keyOf(send);
			const attempt = key === undefined ? undefined : queues.get(key)?.pop();
			if (!attempt) continue;
			matched.set(send, attempt);
			left.delete(attempt);
		}
	}
	return matched;
}

/**
 * Returns the unknown attempt that an item of a later round, or another call of an agent, is the same as: it must not be made
 * again.
 *
 * @param unknown attempts of the same recipient in earlier rounds
 * @param refused these may go out
 * @param ownError the delivery that this node's own error in the item tells
 */
export function findUnknown(
	{ content }: Send,
	unknown: Attempt[],
	refused: Attempt[],
	ownError: unknown,
): Attempt | undefined {
	const isEqual = (one: Attempt) => one.content === content;
	const equal = unknown.find(isEqual);
	if (equal || ownError === 'notSent' || refused.some(isEqual)) return equal;
	return unknown.find((one) => ownError === 'unknown' || isSimilar(one.content, content));
}

function isSimilar(a: string, b: string): boolean {
	const [image, caption] = splitContent(a);
	const [otherImage, otherCaption] = splitContent(b);
	return image === otherImage || (caption !== '' && caption === otherCaption);
}
