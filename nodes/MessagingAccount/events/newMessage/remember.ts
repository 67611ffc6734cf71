import type { ListOrder } from '../../messages/messageOrder';
import type { ListedMessage } from './classifyMessages';
import { MAX_PROOF, type PollState } from './pollState';

/** The most messages to compare, and keys to keep: 50 times as many as a service usually lists. */
export const MAX_KNOWN = 5000;

/** Adds the listed messages to the known keys. The oldest of those that are not listed are dropped. */
export function addListed(
	known: string[],
	anchorCount: number,
	listed: ListedMessage[],
	isSameOrder: boolean,
): string[] {
	const keys = new Set(listed.map(({ key }) => key));
	const unlisted = known.filter((key) => !keys.has(key));
	const all = isSameOrder ? insertListed(known, anchorCount, listed) : [...unlisted, ...keys];
	const dropped = new Set(unlisted.slice(0, Math.max(0, all.length - MAX_KNOWN)));
	return all.filter((key) => !dropped.has(key));
}

/**
 * Known keys keep their order, so that a pinned message does not become the newest one. New ones are before later keys, or the newest.
 * @example insertListed(['K1', 'K2'], 1, listed) // ['K1', 'b', 'K2', 'c'] for K1 b K2 c: the gap after the anchor K1 was read
 */
function insertListed(known: string[], anchorCount: number, listed: ListedMessage[]): string[] {
	const firstLater = listed.findIndex(({ kind }) => kind === 'later');
	const keysOf = (isWanted: (one: ListedMessage, index: number) => boolean) =>
		listed.filter(isWanted).map(({ key }) => key);
	return [
		...keysOf(({ kind }) => kind === 'passed' || kind === 'behind' || kind === 'outdated'),
		...known.slice(0, anchorCount),
		...keysOf(({ kind }, index) => kind === 'new' && index < firstLater),
		...known.slice(anchorCount),
		...keysOf(({ kind }, index) => kind === 'new' && index >= firstLater),
	];
}

/**
 * Returns the times to store. A clock that is set back looks like outdated messages at first: so these take proof from the times, which soon
 * count no more. Many times in order prove themselves at the first poll.
 */
export function updateTimes(
	byTime: ListOrder | undefined,
	listed: ListedMessage[],
	state: PollState | undefined,
	times: PollState['times'],
	isOrderCertain: boolean,
): PollState['times'] {
	if (!byTime || !isEvidence(byTime, listed.length, state)) return state?.times;
	const all = listed.flatMap(({ time }) => time ?? []);
	if (all.length === 0) return times;
	// In a list whose order is certain, up to a quarter may be pinned at either end, however old they are.
	const rank = isOrderCertain ? Math.floor(all.length / 4) : 0;
	const oldest = all.toSorted((a, b) => a - b)[rank];
	// If the newest one is that old, a clock may also have been set back.
	const isProven = !state && isOrderCertain && all.at(-1)! >= oldest;
	return {
		field: byTime.field,
		newest: Math.max(...all, times?.newest ?? -Infinity),
		oldest: state ? times?.oldest : oldest,
		proof: isProven ? MAX_PROOF : countProof(listed, times),
	};
}

/** Those of the first poll count even if all are equal. Later, nothing is learned from equal ones, or from another field in no order. */
function isEvidence({ field, order, steps }: ListOrder, count: number, state?: PollState) {
	if (steps === 0) return !state && count > 1;
	return order !== 0 || !state?.times || field === state.times.field;
}

/** A new message that is later than all before proves the times, an earlier one takes a proof away. */
function countProof(listed: ListedMessage[], times: PollState['times']): number {
	const arrived = listed.filter(({ kind }) => kind === 'new' || kind === 'outdated');
	const proofs = arrived.map(({ time = NaN }) => (times && Math.sign(time - times.newest)) || 0);
	const proof = proofs.reduce((a, b) => a + b, times?.proof ?? 0);
	return Math.max(0, Math.min(MAX_PROOF, proof));
}
