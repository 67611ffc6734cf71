import {
	type Attempt,
	type EarlierOutcome,
	type Mark,
	type Marks,
	toBegunMark,
	toContentSeries,
	unknownBecause,
} from '../attempt';
import type { Send } from '../send';

/** After a crash, the id of the message is not known. */
const SENT: EarlierOutcome = { is: 'sent', id: null };
const STOPPED = unknownBecause('n8n may have stopped before it ended');
const OTHER_ID = unknownBecause(
	'the same image was sent before n8n stopped, but not under this ID',
);

/** Whether an attempt at a send may have used its ID. Others are not looked up: n8n does so by adding them. */
export const mayHaveUsedId = (send: Send, marks: Marks) =>
	marks.get(send.recipientHash)!.includes('begunWithId') &&
	marks.get(toContentSeries(send))!.some((mark) => mark !== 'notSent');

interface Known {
	/** Sends of which the log knows something: they take the marks that the others leave, and do not become `changed`. */
	knownInLog: Set<Send>;
	/** Attempts in the log that are also on record: they take their marks first, which count for no item. */
	alsoOnRecord: Attempt[];
	marks: Marks;
	/** Sends whose IDs are on record, and whether as sent. Any other ID is that of another order, or its text was changed. */
	usedIds: Map<Send, 'sent' | 'used'>;
}

/**
 * After a crash, an item counts as sent only if this very message was: one with its image and caption, to its recipient. Each attempt counts
 * for one item: of two equal items and one mark as sent, the first is sent, and the second one is tried. An item with an ID goes to
 * `SendOnceIds` unless it is found here.
 *
 * | the item's message | attempts at its recipient that are no item's message, and may have been sent | outcome |
 * | --- | --- | --- |
 * | was sent | any | sent; unknown if the attempts had IDs, and its own is not on record as sent: it may be another order |
 * | may have been sent | any | unknown |
 * | was not sent, or not tried | some without an ID; for an item without an ID, any | changed: it may be an edited one of these |
 * | was not sent, or not tried | none of these | none: it may be sent |
 *
 * @param sends all of one recipient in this run, without those that are known as sent, or were judged before
 * @param known of the attempts at it; marks that are taken are removed @returns the outcomes of those of which the record says something
 */
export function judgeAfterCrash(sends: Send[], known: Known) {
	const { knownInLog, alsoOnRecord, usedIds } = known;
	const outcomes = new Map<Send, EarlierOutcome>();
	const left = new MarksLeft(sends[0].recipientHash, known.marks);
	for (const one of alsoOnRecord) left.take(one);
	// First those whose IDs are on record, as sent before others, for they were tried; last those that the log knows.
	const turnOf = (one: Send) =>
		knownInLog.has(one) ? 3 : ['sent', 'used', undefined].indexOf(usedIds.get(one));
	for (const send of sends.toSorted((a, b) => turnOf(a) - turnOf(b))) {
		// Before it takes its mark.
		const mayBeOtherOrder = send.idHash && usedIds.get(send) !== 'sent' && !left.hasWithoutId;
		const mark = left.take(send);
		if (mark === 'begun') outcomes.set(send, STOPPED);
		else if (mark && mayBeOtherOrder) outcomes.set(send, usedIds.has(send) ? STOPPED : OTHER_ID);
		else if (mark) outcomes.set(send, SENT);
	}
	// What is left belongs to no item of this run. For attempts in the log, `findChanged` says so.
	for (const send of sends)
		if (!knownInLog.has(send) && !outcomes.has(send) && left.mayHaveBeen(send))
			outcomes.set(send, { is: 'changed', isSent: false });
	return outcomes;
}

/**
 * The marks at one recipient that no item has taken. Each attempt has two, which are taken together: begun or begunWithId here, and begun or
 * sent in the series of its content.
 */
class MarksLeft {
	private readonly atRecipient: Mark[];

	constructor(
		recipientHash: string,
		private readonly marks: Marks,
	) {
		this.atRecipient = marks.get(recipientHash)!.filter((mark) => mark !== 'notSent');
	}

	/** Takes the marks of an attempt with this content, the surest first, and returns that of the content; undefined if none is left. */
	take(one: Attempt | Send): Mark | undefined {
		const ofContent = this.marks.get(toContentSeries(one))!;
		const mark = (['sent', 'begun'] as const).find((some) => ofContent.includes(some));
		if (!mark) return undefined;
		ofContent.splice(ofContent.indexOf(mark), 1);
		// Nobody knows which of the recipient's marks has this content: one of the same kind, or any if the option was changed since.
		this.atRecipient.splice(Math.max(this.atRecipient.indexOf(toBegunMark(one)), 0), 1);
		return mark;
	}

	/** Whether an attempt without an ID is left: it may have been any item's. */
	get hasWithoutId(): boolean {
		return this.atRecipient.includes('begun');
	}

	/** Whether an attempt is left that may have been this item, before it was edited. */
	mayHaveBeen({ idHash }: Send): boolean {
		return idHash === undefined ? this.atRecipient.length > 0 : this.hasWithoutId;
	}
}
