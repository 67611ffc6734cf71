import { groupBy } from '../shared/groupBy';
import { type Attempt, type Send, toCaption, toImage } from './attempt';

/** The signs that an item is the one that was attempted, the surest first. */
const LEVELS: Array<(one: Attempt) => string | undefined> = [
	({ content }) => content,
	toImage,
	toCaption,
	({ sequence }) => String(sequence),
	() => '',
];

/** The signs for a tool: an agent may word a caption anew, and make its calls in another order. */
const TOOL_LEVELS = LEVELS.slice(0, 2);

/**
 * Matches the sends to a recipient with the earlier attempts at them in the same run of the node: each once, and in order.
 * @param sends each with the sequence that it has if the list is the same @param left attempts; those that match are removed
 */
export function matchAttempts(sends: Send[], left: Set<Attempt>, isTool: boolean) {
	const matched = new Map<Attempt, Attempt>();
	for (const keyOf of isTool ? TOOL_LEVELS : LEVELS) {
		const queues = groupBy(left, keyOf);
		for (const send of sends) {
			const key = matched.has(send) ? undefined : keyOf(send);
			const attempt = key === undefined ? undefined : queues.get(key)?.shift();
			if (!attempt) continue;
			matched.set(send, attempt);
			left.delete(attempt);
		}
	}
	return matched;
}

/**
 * Returns the unknown attempt that an item of a later run, or of another call of an agent, must not repeat.
 * @param earlier attempts at the same recipient in earlier runs: those that were refused may be made again
 * @param ownError the delivery that this node's own error in the item reports
 */
export function findUnknown(send: Send, earlier: Attempt[], ownError: unknown) {
	const unknown = earlier.filter(({ outcome }) => outcome.is === 'unknown');
	const refused = earlier.filter(({ outcome }) => outcome.is === 'notSent');
	const isEqual = ({ content }: Attempt) => content === send.content;
	const equal = unknown.find(isEqual);
	if (equal || ownError === 'notSent' || refused.some(isEqual)) return equal;
	const isSimilar = (one: Attempt) =>
		[toImage, toCaption].some((signOf) => signOf(send) && signOf(send) === signOf(one));
	return unknown.find((one) => ownError === 'unknown' || isSimilar(one));
}
