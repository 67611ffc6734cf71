import type { IExecuteFunctions } from 'n8n-workflow';

import { groupBy } from '../shared/groupBy';
import { hash } from '../shared/hash';
import { isToolNode } from '../shared/isToolNode';
import { findUnknown, matchAttempts } from './matchSends';
import {
	decodeAttempt,
	encodeAttempt,
	mayBeSent,
	toContent,
	toSlotKey,
	type Attempt,
	type Fate,
	type Message,
	type Send,
} from './send';

/** In the node's context. */
export interface StoredSendLog {
	/** How many runs of the node the log knows, this one included. */
	runs: number;
	/** Of the last run. */
	round: string;
	/** Whether another run may have sent something that this log does not know, because n8n crashed or another retry ran. */
	isIncomplete?: boolean;
	/** One on record that this log does not know. It may go on: n8n can show an execution as ended that still runs. */
	otherRun?: number;
	/** It has removed its keys, so what is not on record may have been sent. */
	hasOtherRunEnded?: boolean;
	/** By slot. The numbers of a recipient leave none out. */
	attempts: Record<string, string>;
}

/** What one run knows of a recipient. */
interface Recipient {
	/** In order: attempts of earlier runs of this round. Of a tool: those of earlier executions. */
	own: Set<Attempt>;
	/** Unknown attempts of earlier rounds. Of a tool: those of earlier calls in this execution. */
	unknown: Attempt[];
	/** The next sends get their numbers, so that the record, which has no refused ones, leaves few out. */
	refused: Attempt[];
	nextNumber: number;
}

/**
 * What the node sent in this execution. It is in the node's context, which n8n stores with the execution at its end, so it is
 * still there when n8n runs the node again because of "Retry On Fail" or "Retry execution". The record has what must survive a
 * crash.
 *
 * This must always be true: every attempt that the service may have carried out is in the log, and an attempt that failed for
 * certain removes nothing but itself.
 */
export class SendLog {
	readonly stored: StoredSendLog;

	/** Whether the node ran in this round before: then all its items must be known before one is sent. */
	readonly isRepeated: boolean;

	/** Of a loop. n8n counts each call of a tool as a round of its own; for us, an execution with all its calls is one. */
	private readonly round: string;

	private readonly isTool: boolean;

	/** Recipients who had got something else than their items are now. */
	readonly changedRecipients = new Set<string>();

	private readonly recipients = new Map<string, Recipient>();

	/** By slot: the items of earlier attempts that may have sent something. */
	private readonly uncertain = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {
		this.isTool = isToolNode(context.getNode());
		const { $runIndex } = context.getWorkflowDataProxy(0);
		// The execution's ID is unknown outside of n8n, e.g. in tests.
		this.round = this.isTool ? (context.getExecutionId() ?? '') : String($runIndex);
		const nodeContext: { sendLog?: StoredSendLog } = context.getContext('node');
		this.isRepeated = !this.isTool && nodeContext.sendLog?.round === this.round;
		this.stored = nodeContext.sendLog ??= { runs: 0, round: '', attempts: {} };
		this.stored.runs++;
		this.stored.round = this.round;
		if (!this.isRepeated) return;
		for (const attempt of this.list()) {
			if (mayBeSent(attempt.fate) && attempt.round === this.round)
				this.uncertain.set(toSlotKey(attempt), attempt.itemIndex);
		}
	}

	/** Whether an earlier attempt at an item may have sent something, even to another number. */
	mayHaveSent(itemIndex: number): boolean {
		return [...this.uncertain.values()].includes(itemIndex);
	}

	/** For a tool: whether the outcome of any call is unknown. */
	hasUnknownCall(): boolean {
		return this.isTool && this.list().some(({ fate }) => fate.is === 'unknown');
	}

	list(): Attempt[] {
		return Object.entries(this.stored.attempts).map(([key, text]) => decodeAttempt(key, text));
	}

	/** @returns a send that `match` must number */
	create(itemIndex: number, message: Message): Send {
		return {
			recipient: hash(message.recipient),
			number: 0,
			round: this.round,
			itemIndex,
			content: toContent(message),
			fate: { is: 'planned' },
			onRecord: 'no',
		};
	}

	/** Numbers sends, and tells what became of earlier attempts at them. Call this in the order of the items. */
	match(sends: Send[]): void {
		for (const [key, group] of groupBy(sends, ({ recipient }) => recipient)) {
			const recipient = this.recipientOf(key);
			const numbers = [...recipient.own].map(({ number }) => number);
			group.forEach((send, i) => (send.number = numbers[i] ?? -1));
			this.takeMatching(group, recipient.own, (send) => this.findOther(send, recipient));
		}
	}

	/** Matches sends that the log does not know with all that is on record under their numbers, and numbers them accordingly. */
	matchFound(sends: Send[], found: Attempt[]): void {
		const byRecipient = groupBy(found, ({ recipient }) => recipient);
		for (const [key, group] of groupBy(sends, ({ recipient }) => recipient)) {
			const attempts = byRecipient.get(key) ?? [];
			const taken = new Set(attempts.map(({ number }) => number));
			const free = group.map(({ number }) => number).filter((number) => !taken.has(number));
			this.takeMatching(group, new Set(attempts), (send) => ({ ...send, number: free.shift()! }));
		}
	}

	/** Changes what is stored at once. */
	store(attempt: Attempt, fate: Fate): void {
		this.stored.attempts[toSlotKey(attempt)] = encodeAttempt({ ...attempt, fate });
	}

	/** In no earlier run of this round: an item that comes back as unknown, also in another call of an agent, or a new one. */
	private findOther(send: Send, recipient: Recipient): Attempt {
		const { error } = this.context.getInputData()[send.itemIndex].json;
		const { delivery } = (error ?? {}) as { delivery?: unknown };
		const unknown = findUnknown(send, recipient.unknown, recipient.refused, delivery);
		// Several items may be the same as one that is unknown: each gets a number of its own.
		if (unknown) return { ...unknown, number: recipient.nextNumber++ };
		return { ...send, number: recipient.refused.shift()?.number ?? recipient.nextNumber++ };
	}

	/** @param other finds an attempt for a send that matches none of them */
	private takeMatching(sends: Send[], attempts: Set<Attempt>, other: (send: Send) => Attempt) {
		const matched = matchAttempts(sends, attempts);
		for (const send of sends) this.take(send, matched.get(send) ?? other(send));
	}

	/** Takes over what an earlier attempt at a send, in the log or on record, has left. */
	private take(send: Send, { number, content, fate, onRecord }: Attempt): void {
		send.number = number;
		send.onRecord = onRecord;
		send.isTakenOff = fate.is === 'notSent';
		const isTrace = mayBeSent(fate) || (fate.is === 'notSent' && fate.idReserved);
		// The log may know why it is unknown, and the record does not.
		if (isTrace && (fate.is !== 'unknown' || send.earlier?.is !== 'unknown')) send.earlier = fate;
		if (fate.is === 'sent' && content !== send.content) this.changedRecipients.add(send.recipient);
		if (mayBeSent(fate)) this.uncertain.set(toSlotKey(send), send.itemIndex);
		this.store({ ...send, content: content || send.content }, send.earlier ?? send.fate);
	}

	private recipientOf(recipient: string): Recipient {
		const known = this.recipients.get(recipient);
		if (known) return known;
		const attempts: Attempt[] = [];
		const nextKey = () => toSlotKey({ recipient, number: attempts.length });
		for (let text; (text = this.stored.attempts[nextKey()]); ) {
			attempts.push(decodeAttempt(nextKey(), text));
		}
		const isOwn = ({ round }: Attempt) => (round === this.round) !== this.isTool;
		const others = attempts.filter((attempt) => !isOwn(attempt));
		const created = {
			own: new Set(attempts.filter(isOwn)),
			unknown: others.filter(({ fate }) => fate.is === 'unknown'),
			refused: others.filter(({ fate }) => fate.is === 'notSent'),
			nextNumber: attempts.length,
		};
		this.recipients.set(recipient, created);
		return created;
	}
}
