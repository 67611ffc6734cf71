import { groupBy } from '../shared/groupBy';
import {
	type Attempt,
	type Mark,
	type Marks,
	mayBeSent,
	type Outcome,
	toContentSeries,
} from './attempt';
import { type Send, toCaption, toImage } from './send';

/** Whether a send may be made and, if not, why. */
export type Verdict = 'send' | 'sent' | 'unknown' | 'changed' | 'idUsed';

/** Decides whether a send may be made. Nothing else does so. @param earlier the outcome of earlier attempts at it */
export function decide(
	earlier: Outcome | undefined,
	mayResend: boolean,
	isIdUsed: boolean,
): Verdict {
	if (earlier?.is === 'sent') return 'sent';
	const isSure = earlier?.is === 'changed' && earlier.isSent;
	if (earlier && (isSure || !mayResend)) return earlier.is as Verdict;
	return isIdUsed ? 'idUsed' : 'send';
}

/** After a crash, the id of the message is not known. */
const SENT_BEFORE_CRASH: Outcome = { is: 'sent', id: null };
const STOPPED: Outcome = { is: 'unknown', reason: 'n8n may have stopped before it ended' };

/**
 * After a crash, an item counts as sent only if this very message was: one with its image and caption, to its recipient. Each attempt counts
 * for one item. An item with an ID goes to `SendOnceIds` unless it is found here.
 *
 * | the item's message | attempts at its recipient that are no item's message, and may have been sent | outcome |
 * | --- | --- | --- |
 * | was sent | any | sent |
 * | may have been sent | any | unknown |
 * | was not sent, or not tried | some without an ID; for an item without an ID, any | changed: it may be an edited one of these |
 * | was not sent, or not tried | none of these | none: it may be sent |
 *
 * @param sends all of one recipient in this run, without those that are known as sent, or were judged before
 * @param known those whose attempt is in the log already @param inLog attempts in the log that are among those on record
 * @returns the outcomes of earlier attempts, by send, without sends of which the record says nothing
 */
export function judge(sends: Send[], known: Set<Send>, inLog: Attempt[], marks: Marks) {
	const outcomes = new Map<Send, Outcome>();
	const series = [...inLog, ...sends].map(toContentSeries);
	const queues = new Map(series.map((one) => [one, surestFirst(marks.get(one) ?? [])]));
	const left = marks.get(sends[0].recipientHash)!.filter((mark) => mark !== 'notSent');
	const account = (one: Attempt | Send) => {
		const mark = queues.get(toContentSeries(one))!.shift();
		const place = left.indexOf(one.idHash === undefined ? 'begun' : 'begunWithId');
		if (mark) left.splice(Math.max(place, 0), 1);
		return mark;
	};
	inLog.forEach(account);
	// What the log knows stays so: others are matched first.
	const open = sends.filter((one) => !known.has(one));
	for (const send of [...open, ...known]) {
		const mark = account(send);
		if (mark) outcomes.set(send, mark === 'sent' ? SENT_BEFORE_CRASH : STOPPED);
	}
	for (const send of open) {
		const hasOther = send.idHash === undefined ? left.length > 0 : left.includes('begun');
		if (hasOther && !outcomes.has(send)) outcomes.set(send, { is: 'changed', isSent: false });
	}
	return outcomes;
}

function surestFirst(marks: Mark[]): Mark[] {
	return [...marks.filter((one) => one === 'sent'), ...marks.filter((one) => one === 'begun')];
}

type Signs = Pick<Send, 'itemIndex' | 'content' | 'idHash'>;

/**
 * Matches the sends to a recipient with earlier attempts that the log knows: each with one.
 * @param left attempts in sequence; those that match are removed @param isRepeated whether n8n runs the node again with the very same items
 */
export function matchAttempts(sends: Send[], left: Set<Attempt>, isRepeated: boolean) {
	const matched = new Map<Send, Attempt>();
	const signs: Array<(one: Signs) => string | undefined> = isRepeated
		? [({ itemIndex }) => String(itemIndex)]
		: [({ idHash }) => idHash, ({ content }) => content];
	for (const signOf of signs) {
		const queues = groupBy(left, signOf);
		for (const send of sends) {
			const sign = matched.has(send) ? undefined : signOf(send);
			const attempt = sign === undefined ? undefined : queues.get(sign)?.shift();
			if (!attempt) continue;
			matched.set(send, attempt);
			left.delete(attempt);
		}
	}
	return matched;
}

/** Returns the outcome of an item that is none of the messages that were tried: it may be an edited one of those that are left. */
export function findChanged(send: Send, left: Iterable<Attempt>): Outcome | undefined {
	const isPossible = ({ idHash }: Attempt) => send.idHash === undefined || idHash === undefined;
	const others = [...left].filter((one) => mayBeSent(one.outcome) && isPossible(one));
	const isSent = others.every(({ outcome }) => outcome.is === 'sent');
	return others.length > 0 ? { is: 'changed', isSent } : undefined;
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
