import type { KeyedMessage } from '../../messages/messageKey';
import { ENOUGH_PROOF, type PollState } from './pollState';

/** `time` is in ms since 1970. */
type TimedMessage = KeyedMessage & { time?: number };

export type ListedMessage = TimedMessage & {
	/**
	 * - `anchor`: known, and no gap is before it; `later`: known, but after a gap that this poll may fill
	 * - `new`: may start the workflow
	 * - `passed`: unknown, on the older side, e.g. after a deletion, and its time agrees; `behind`: without a time, so it may be in a gap
	 * - `outdated`: stands among new ones, e.g. in a list sorted by the last change, but its time is from before the first poll
	 */
	kind: 'anchor' | 'later' | 'new' | 'passed' | 'behind' | 'outdated';
};

export const isKnown = ({ kind }: ListedMessage) => kind === 'anchor' || kind === 'later';

/**
 * Says what each message is.
 * @example a K1 b K2 c // The anchors K1 and K2 are known: a is on their older side, b and c are new. Without K2, a could be anywhere.
 * @param messages each once, the oldest first @param anchorCount how many of the known keys are anchors
 */
export function classifyMessages(
	messages: TimedMessage[],
	known: string[],
	anchorCount: number,
	isOrderCertain: boolean,
	times: PollState['times'],
): ListedMessage[] {
	const kindOf = (rank: number) => (rank < anchorCount ? 'anchor' : 'later');
	const knownKinds = new Map(known.map((key, rank) => [key, kindOf(rank)] as const));
	const anchors = messages.filter(({ key }) => knownKinds.get(key) === 'anchor');
	const oldestKnown = anchors.at(0) ?? messages.find(({ key }) => knownKinds.has(key));
	const oldestKnownIndex = oldestKnown ? messages.indexOf(oldestKnown) : messages.length;
	// In an order that may be the wrong way round, none counts as older. Without an anchor, only times decide.
	const newerSideStart = anchors.length === 0 || isOrderCertain ? oldestKnownIndex : 0;
	// A single anchor may be pinned, and then shows no place, unless there was only one.
	const isPlaceCertain = anchors.length > 1 || (anchors.length === 1 && anchorCount === 1);
	// Up to these times, a message is old: on the older side, from before the first poll or the oldest anchor; on the newer, once proven.
	const passedUntil = times?.oldest ?? anchors.at(0)?.time;
	const proof = times?.proof ?? 0;
	const outdatedUntil = proof >= ENOUGH_PROOF ? times?.oldest : undefined;
	// All of an import may have the time of the oldest one. Once later messages have come, no new one has it any more.
	const isImportOver = times?.oldest !== undefined && times.newest > times.oldest;
	const judge = (isNewer: boolean, time: number | undefined) => {
		const limit = isNewer ? outdatedUntil : passedUntil;
		if (time === undefined || limit === undefined)
			return isNewer || !isPlaceCertain ? 'new' : 'behind';
		if (time > limit || (time === limit && !isImportOver)) return 'new';
		return isNewer ? 'outdated' : 'passed';
	};
	const listed = messages.map((one, i): ListedMessage => {
		const kind = knownKinds.get(one.key) ?? judge(i >= newerSideStart, one.time);
		return { ...one, kind };
	});
	// A clock that is set back looks the same: so no more are outdated than have proved the times.
	const tooMany = new Set(listed.filter(({ kind }) => kind === 'outdated').slice(proof));
	return listed.map((one) => (tooMany.has(one) ? { ...one, kind: 'new' } : one));
}
