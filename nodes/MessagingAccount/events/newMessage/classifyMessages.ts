import type { KeyedMessage } from '../../messages/messageKey';
import { ENOUGH_PROOF, type PollState } from './pollState';

/** What an unknown message is, by where it stands: `before` the limit of that place, `unclear` without a time or a limit, otherwise new. */
const KINDS = {
	/** On the older side of the known ones, e.g. after a deletion. */
	older: { before: 'passed', unclear: 'behind' },
	/** Nothing known shows where, so only the time counts. */
	anywhere: { before: 'passed', unclear: 'new' },
	/** On their newer side, or among them. Its time may show that it is old, e.g. in a list that is sorted by the last change. */
	newer: { before: 'outdated', unclear: 'new' },
} as const;

export interface ListedMessage extends KeyedMessage {
	/**
	 * - `anchor`: known, and no gap is before it; `later`: known, but after a gap that this poll may fill
	 * - `new`: may start the workflow
	 * - `passed`: unknown, on the older side, and its time agrees; `behind`: the same without a time, so it may be in a gap
	 * - `outdated`: stands among new ones, but its time says that it is older than the first poll
	 */
	kind: 'anchor' | 'later' | 'new' | 'passed' | 'behind' | 'outdated';
	/** The time in ms since 1970. */
	time?: number;
}

export const isKnown = ({ kind }: ListedMessage) => kind === 'anchor' || kind === 'later';

/**
 * Says what each message is.
 * @example a K1 b K2 c // The anchors K1 and K2 are known: a is on their older side, b and c are new. Without K2, a could be anywhere.
 * @param messages each once, the oldest first @param anchorCount how many of the known keys are anchors
 */
export function classifyMessages(
	messages: KeyedMessage[],
	known: string[],
	anchorCount: number,
	isOrderCertain: boolean,
	times: PollState['times'],
	readTime: (message: unknown) => number | undefined = () => undefined,
): ListedMessage[] {
	const kindOf = (rank: number) => (rank < anchorCount ? 'anchor' : 'later');
	const knownKinds = new Map(known.map((key, rank) => [key, kindOf(rank)] as const));
	const anchors = messages.filter(({ key }) => knownKinds.get(key) === 'anchor');
	const oldestKnown = anchors.at(0) ?? messages.find(({ key }) => knownKinds.has(key));
	const firstKnown = oldestKnown ? messages.indexOf(oldestKnown) : messages.length;
	// In an order that may be the wrong way round, none counts as older. Without an anchor, only times decide.
	const newerSideStart = anchors.length === 0 || isOrderCertain ? firstKnown : 0;
	// A single anchor may be pinned, and then shows no place, unless there was only one.
	const showsPlace = anchors.length > 1 || (anchors.length === 1 && anchorCount === 1);
	// What is before the first poll, or before the oldest anchor, is old.
	const older = times?.oldest ?? (anchors[0] && readTime(anchors[0].message));
	const proof = times?.proof ?? 0;
	const newer = proof >= ENOUGH_PROOF ? times?.oldest : undefined;
	const limits = { older, anywhere: older, newer };
	const judge = (place: keyof typeof KINDS, time: number | undefined) => {
		const limit = limits[place];
		if (time === undefined || limit === undefined) return KINDS[place].unclear;
		return time < limit ? KINDS[place].before : 'new';
	};
	const listed = messages.map(({ message, key }, i): ListedMessage => {
		const place = i >= newerSideStart ? 'newer' : showsPlace ? 'older' : 'anywhere';
		const time = readTime(message);
		return { message, key, time, kind: knownKinds.get(key) ?? judge(place, time) };
	});
	// A clock that is set back looks the same: so no more are outdated than have proved the times.
	const tooMany = new Set(listed.filter(({ kind }) => kind === 'outdated').slice(proof));
	return listed.map((one) => (tooMany.has(one) ? { ...one, kind: 'new' } : one));
}
