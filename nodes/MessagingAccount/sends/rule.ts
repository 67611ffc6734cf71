import {
	type Attempt,
	type EarlierOutcome,
	type Mark,
	type Marks,
	toBegunMark,
	toContentSeries,
} from './attempt';
import type { Send } from './send';

/** Whether a send may be made and, if not, why. */
export type Verdict = 'send' | EarlierOutcome['is'] | 'idUsed';

/** Decides whether a send may be made. Nothing else does so. @param earlier what is known of earlier attempts at it */
export function decide(
	earlier: EarlierOutcome | undefined,
	mayResend: boolean,
	isIdUsed: boolean,
): Verdict {
	if (earlier?.is === 'sent') return 'sent';
	const isSure = earlier?.is === 'changed' && earlier.isSent;
	if (earlier && (isSure || !mayResend)) return earlier.is;
	return isIdUsed ? 'idUsed' : 'send';
}

/** After a crash, the id of the message is not known. */
const SENT_BEFORE_CRASH: EarlierOutcome = { is: 'sent', id: null };
const STOPPED: EarlierOutcome = { is: 'unknown', reason: 'n8n may have stopped before it ended' };

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
 * @param decided those of which the log knows something: they take the marks that the others leave, and do not become `changed`
 * @param inLog attempts in the log that are also on record: their marks count for no item
 * @returns the outcomes of earlier attempts, by send, without sends of which the record says nothing
 */
export function judge(sends: Send[], decided: Set<Send>, inLog: Attempt[], marks: Marks) {
	const outcomes = new Map<Send, EarlierOutcome>();
	const claims = createClaims(sends[0].recipientHash, marks);
	// Each takes a mark of its own content: first the attempts of the log, then the sends of which the log knows nothing, then the others.
	// What is left at the recipient belongs to no item of this run.
	inLog.forEach(claims.claim);
	const undecided = sends.filter((one) => !decided.has(one));
	for (const send of [...undecided, ...sends.filter((one) => decided.has(one))]) {
		const mark = claims.claim(send);
		if (mark) outcomes.set(send, mark === 'sent' ? SENT_BEFORE_CRASH : STOPPED);
	}
	for (const send of undecided)
		if (!outcomes.has(send) && claims.isOtherLeft(send))
			outcomes.set(send, { is: 'changed', isSent: false });
	return outcomes;
}

/** The marks of the attempts at one recipient: each belongs to one message, that of an attempt in the log or of an item. */
function createClaims(recipientHash: string, marks: Marks) {
	const leftOfSeries = new Map<string, Mark[]>();
	const leftAtRecipient = marks.get(recipientHash)!.filter((mark) => mark !== 'notSent');
	return {
		/** Takes the surest mark that is left of a message with this content. */
		claim(one: Attempt | Send): Mark | undefined {
			const series = toContentSeries(one);
			const left = leftOfSeries.get(series) ?? surestFirst(marks.get(series) ?? []);
			leftOfSeries.set(series, left);
			const mark = left.shift();
			// Nobody knows which of the recipient's marks has this content: one of the same kind, or any if the option was changed since.
			const index = leftAtRecipient.indexOf(toBegunMark(one));
			if (mark) leftAtRecipient.splice(Math.max(index, 0), 1);
			return mark;
		},
		/** Whether a mark is left that may be of an earlier version of this message. For attempts in the log, `findChanged` says so. */
		isOtherLeft: ({ idHash }: Send) =>
			idHash === undefined ? leftAtRecipient.length > 0 : leftAtRecipient.includes('begun'),
	};
}

function surestFirst(marks: Mark[]): Mark[] {
	return [...marks.filter((one) => one === 'sent'), ...marks.filter((one) => one === 'begun')];
}
