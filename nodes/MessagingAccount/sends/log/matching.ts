import { groupBy } from '../../shared/groupBy';
import { type Attempt, mayBeSent, type Outcome } from '../attempt';
import { type Send, toCaptionHash, toImageHash } from '../send';

const haveDifferentIds = (send: Send, { idHash }: Attempt) =>
	send.idHash !== undefined && idHash !== undefined && send.idHash !== idHash;

/**
 * Matches the sends to a recipient with earlier attempts that the log knows: each with one. A model may want the same image again under
 * another ID. In a retry of a list, only the text of its IDs can be another one.
 * @param attempts in sequence @param isOfSameItem whether n8n gives the item of an attempt again, the very same: then only that counts
 */
export function matchAttempts(
	sends: Send[],
	attempts: Attempt[],
	isOfSameItem: (one: Attempt) => boolean,
	isTool: boolean,
) {
	const matched = new Map<Send, Attempt>();
	const left = new Set(attempts);
	const passes = [
		{ ofSameItem: true, traitOf: ({ itemIndex }: Send | Attempt) => String(itemIndex) },
		{ ofSameItem: false, traitOf: ({ idHash }: Send | Attempt) => idHash },
		{ ofSameItem: false, traitOf: ({ contentHash }: Send | Attempt) => contentHash },
	];
	for (const { ofSameItem, traitOf } of passes) {
		const possible = [...left].filter((one) => isOfSameItem(one) === ofSameItem);
		const queues = groupBy(possible, traitOf);
		for (const send of sends) {
			const trait = matched.has(send) ? undefined : traitOf(send);
			const attempt = trait === undefined ? undefined : queues.get(trait)?.shift();
			if (!attempt || (isTool && haveDifferentIds(send, attempt))) continue;
			matched.set(send, attempt);
			left.delete(attempt);
		}
	}
	return { matched, left: [...left] };
}

/**
 * Returns the outcome of an item that is none of the messages that were tried: it may be an edited one of those that are left.
 * `judgeAfterCrash` says so of those on record. @param areIdsNew whether the log has none of the run's IDs: then their text may be another one
 */
export function findChanged(send: Send, left: Attempt[], areIdsNew: boolean) {
	const isPossible = ({ idHash }: Attempt) =>
		areIdsNew || send.idHash === undefined || idHash === undefined;
	const others = left.filter((one) => mayBeSent(one.outcome) && isPossible(one));
	const isSent = others.every(({ outcome }) => outcome.is === 'sent');
	return others.length > 0 ? ({ is: 'changed', isSent } as const) : undefined;
}

/**
 * Returns the attempt, unknown or changed, that an item of a later run, or of another call of an agent, must not repeat.
 *
 * | the item | the attempt that it must not repeat |
 * | --- | --- |
 * | has another ID than an attempt, but not this node's error, as unknown; not for an agent: a model may invent IDs | not that one |
 * | has the content of an unknown or changed one | that one |
 * | has this node's error, as not sent, or has the content of one that was refused | none |
 * | has this node's error, as unknown | any that is unknown |
 * | any other | an unknown one with its image or its caption, a changed one with its image: one caption may be that of all images |
 *
 * @param earlier attempts at the same recipient in earlier runs @param ownError the delivery that this node's own error in the item reports
 */
export function findToAvoid(send: Send, earlier: Attempt[], ownError: unknown, isTool: boolean) {
	const hasOtherId = (one: Attempt) =>
		!isTool && ownError !== 'unknown' && haveDifferentIds(send, one);
	const listThose = (what: Outcome['is']) =>
		earlier.filter((one) => one.outcome.is === what && !hasOtherId(one));
	const [unknown, changed] = [listThose('unknown'), listThose('changed')];
	const isEqual = ({ contentHash }: Attempt) => contentHash === send.contentHash;
	const equal = unknown.find(isEqual) ?? changed.find(isEqual);
	if (equal) return equal;
	const wasRefused = earlier.some((one) => one.outcome.is === 'notSent' && isEqual(one));
	if (ownError === 'notSent' || wasRefused) return undefined;
	if (ownError === 'unknown') return unknown[0];
	const isSimilar = (one: Attempt) =>
		[toImageHash, toCaptionHash].some((traitOf) => traitOf(send) && traitOf(send) === traitOf(one));
	return unknown.find(isSimilar) ?? changed.find((one) => toImageHash(one) === toImageHash(send));
}
