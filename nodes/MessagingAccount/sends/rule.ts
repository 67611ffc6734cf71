import { type Attempt, type Outcome, type Send, toContentSeries } from './attempt';
import type { Mark, Marks } from './recordReader';

/** Whether a send may be made and, if not, why. */
export type Verdict = 'send' | 'sent' | 'unknown' | 'idUsed';

/** Decides whether a send may be made. Nothing else does so. */
export function decide({ earlierOutcome, mayResend, usedBy }: Send): Verdict {
	if (earlierOutcome?.is === 'sent') return 'sent';
	if (earlierOutcome?.is === 'unknown' && !mayResend) return 'unknown';
	return usedBy ? 'idUsed' : 'send';
}

/** After a crash, the id of the message is not known. */
const SENT_BEFORE_CRASH: Outcome = { is: 'sent', id: null };
const STOPPED: Outcome = { is: 'unknown', reason: 'n8n may have stopped before it ended' };

/**
 * At most once: after a crash, an item counts as sent only if its content is on record as sent for its recipient, or if the recipient has
 * exactly one item and one attempt. Whatever else of that recipient may have been sent is unknown: an attempt with another content may have
 * been made for any of its items, because contents can be computed anew, and rows edited, moved or removed.
 *
 * | the item's content is on record as | the log has | other attempts at the recipient may have been sent | outcome |
 * | --- | --- | --- | --- |
 * | any | sent | any | sent |
 * | sent | anything else | any | sent |
 * | begun | anything else | any | unknown |
 * | not sent, or not at all | unknown | any | unknown, or that of the only attempt if this is the only item |
 * | not sent, or not at all | nothing, or not sent | no | none: it may be sent |
 * | not sent, or not at all | nothing, or not sent | yes | unknown, or that of the only attempt if this is the only item |
 *
 * Each attempt counts for one item.
 * @param sends all of one recipient in this run, without those that are known as sent, or were judged before
 * @param known attempts in the log that are among those on record: each accounts for one with its content
 * @param isOnlyItem whether the execution has no other item for the recipient, and the log no other attempt
 * @returns the outcomes of earlier attempts, by send, without sends of which the record says nothing
 */
export function judge(sends: Send[], known: Attempt[], marks: Marks, isOnlyItem: boolean) {
	const outcomes = new Map<Send, Outcome>();
	const attempts = marks.get(sends[0].recipient)!;
	const possible = surestFirst(attempts);
	const series = [...known, ...sends].map(toContentSeries);
	const queues = new Map(series.map((one) => [one, surestFirst(marks.get(one) ?? [])]));
	const take = (one: Attempt) => queues.get(toContentSeries(one))!.shift();
	const accountedFor = known.filter(take);
	// What the log knows as unknown stays so: others are matched first.
	const isKnown = ({ earlierOutcome }: Send) => earlierOutcome?.is === 'unknown';
	for (const send of [...sends.filter((one) => !isKnown(one)), ...sends.filter(isKnown)]) {
		const mark = take(send);
		if (mark) outcomes.set(send, toOutcome(mark));
	}
	// All that may have been sent is accounted for.
	if (possible.length === accountedFor.length + outcomes.size) return outcomes;
	const isOnly = isOnlyItem && attempts.length === 1;
	for (const send of sends)
		if (!outcomes.has(send)) outcomes.set(send, isOnly ? toOutcome(possible[0]) : STOPPED);
	return outcomes;
}

function surestFirst(marks: Mark[]): Mark[] {
	return [...marks.filter((one) => one === 'sent'), ...marks.filter((one) => one === 'begun')];
}

const toOutcome = (mark: Mark) => (mark === 'sent' ? SENT_BEFORE_CRASH : STOPPED);
