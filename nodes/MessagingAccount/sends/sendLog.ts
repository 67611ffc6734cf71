import type { IExecuteFunctions } from 'n8n-workflow';

import { getField } from '../shared/fields';
import { groupBy } from '../shared/groupBy';
import { hash } from '../shared/hash';
import { getRunIndex } from '../n8n/executions';
import { isToolNode } from '../n8n/isToolNode';
import { Mutex } from '../shared/mutex';
import { decodeAttempt, encodeAttempt, mayBeSent, toContent, toIdKey } from './attempt';
import type { Attempt, Message, Outcome, Send, SendOnceId } from './attempt';
import { findChanged, findUnknown, matchAttempts } from './rule';

/** Creates the log as it is in the node's context. */
const createStored = () => ({
	/** The number of this execution among those that retry one another, from 1. */
	number: 0,
	/** Whether it is on record with this number. */
	isOnRecord: false,
	/** The numbers of those on record that this log does not know, because n8n crashed, or another retry ran or runs. */
	unknownExecutions: [] as number[],
	/** Whether nobody knows what one of them has sent: its keys were removed, or the node was deleted and pasted back. */
	hasLost: false,
	/** The number of runs of the node that put something on record in all of these executions. */
	runs: 0,
	/** The number of runs that have not ended. */
	openRuns: 0,
	/** The index of the last run of the node; for a tool, the ID of the execution. */
	run: '',
	/** The attempts, in sequence, by recipient. */
	attempts: {} as Record<string, string[]>,
});
type StoredSendLog = ReturnType<typeof createStored>;

const INTERRUPTED: Outcome = { is: 'unknown', reason: 'it was interrupted' };
const OTHER_CALL: Outcome = { is: 'unknown', reason: 'an earlier call may have been the same' };

/** The state that runs at the same time share: only an agent makes several calls at the same time. */
class RunsOfExecution {
	/** The number of places taken, by series. */
	readonly counts = new Map<string, number>();
	readonly mutex = new Mutex();
	/** The number of sends that this execution has made, or may have made; undefined until it is known. */
	made?: number;
	/** Keys of failed writes, to be written again: stored or not, nothing was sent, and a series must have no gap. */
	readonly doubtful: string[] = [];
}

/** The runs of executions in this process, by log. A retry gets a new log, which n8n reads from its database. */
const runsByLog = new WeakMap<StoredSendLog, RunsOfExecution>();

/** The attempts at one recipient, as one run sees them. */
interface Recipient {
	/** Attempts that earlier tries of this run have made, in sequence; for a tool, those of earlier executions. */
	own: Set<Attempt>;
	/** Those of earlier runs; for a tool, those of earlier calls in this execution. */
	others: Attempt[];
}

/**
 * The log of the node's sends in this execution. It is in the node's context, which n8n stores with the execution at its end. So it is
 * still there when n8n runs the node again because of "Retry On Fail" or "Retry execution".
 *
 * This must always be true: every attempt that the service may have carried out is in the log. One that certainly failed removes only itself.
 */
export class SendLog {
	readonly stored: StoredSendLog;
	readonly runs: RunsOfExecution;
	readonly isRetry: boolean;
	/** Whether this is the first run of the execution in this process. */
	readonly isNew: boolean;
	/** Whether the node repeats its last run: then all its items must be known before one is sent. */
	readonly isRepeated: boolean;
	/** This run. n8n counts each call of a tool as a run of its own; for us, an execution with all its calls is one. */
	private readonly run: string;
	readonly isTool: boolean;
	private readonly recipients = new Map<string, Recipient>();
	/** Items that an earlier attempt may have sent, even to another number, by recipient and sequence. */
	private readonly uncertainItems = new Map<string, number>();

	constructor(private readonly context: IExecuteFunctions) {
		this.isRetry = context.getMode() === 'retry';
		this.isTool = isToolNode(context.getNode());
		// The execution's ID is unknown outside of n8n, e.g. in tests.
		this.run = this.isTool ? (context.getExecutionId() ?? '') : String(getRunIndex(context));
		const nodeContext: { sendLog?: StoredSendLog } = context.getContext('node');
		const stored = (nodeContext.sendLog ??= createStored());
		this.stored = stored;
		this.isRepeated = !this.isTool && stored.run === this.run;
		this.isNew = !runsByLog.has(stored);
		this.runs = runsByLog.get(stored) ?? new RunsOfExecution();
		runsByLog.set(stored, this.runs);
		if (this.isNew) {
			// n8n has stored the log while a call of a tool was in progress.
			if (stored.openRuns > 0) stored.unknownExecutions.push(stored.number);
			if (stored.isOnRecord || stored.number === 0) stored.number++;
			Object.assign(stored, { isOnRecord: false, openRuns: 0 });
			for (const one of this.list()) {
				// A later look-up may find more.
				if (one.outcome.is === 'unknown') this.store({ ...one, isFound: false }, one.outcome);
			}
		}
		stored.openRuns++;
		stored.run = this.run;
		const repeated = this.isRepeated ? this.list().filter(({ run }) => run === this.run) : [];
		for (const one of repeated) if (mayBeSent(one.outcome)) this.addUncertainItem(one);
	}

	/** Whether it knows all earlier attempts. */
	get isComplete(): boolean {
		return this.stored.unknownExecutions.length === 0 && !this.stored.hasLost;
	}

	/** Whether an earlier attempt at an item may have sent something, even to another number. */
	mayHaveSent(itemIndex: number): boolean {
		return [...this.uncertainItems.values()].includes(itemIndex);
	}

	/** Whether the node is a tool, and the outcome of any of its calls is unknown. */
	hasUnknownCall(): boolean {
		return this.isTool && this.list().some(({ outcome }) => outcome.is === 'unknown');
	}

	/** Counts the sends that were made, or may have been, in this execution and those that it retries. */
	countMade(): number {
		return this.list().filter(({ outcome }) => mayBeSent(outcome)).length;
	}

	list(): Attempt[] {
		return Object.keys(this.stored.attempts).flatMap((recipient) => this.attemptsAt(recipient));
	}

	/** Returns the attempts at a recipient, in sequence. */
	attemptsAt(recipient: string): Attempt[] {
		const texts = this.stored.attempts[recipient] ?? [];
		return texts.map((text, i) => decodeAttempt(recipient, i, text));
	}

	/** Returns a send, to which `match` must give its place in the log. */
	create(itemIndex: number, message: Message, mayResend: boolean, id?: SendOnceId): Send {
		const { accountKey, recipient } = message;
		// With all fields from the start: V8 takes a tenth longer for a list of objects to which fields are added.
		return {
			recipient: hash(accountKey + recipient),
			sequence: 0,
			run: this.run,
			itemIndex,
			content: toContent(message),
			idHash: id === undefined ? undefined : hash(`${toIdKey({ id, accountKey })} ${recipient}`),
			outcome: { is: 'planned' },
			entry: undefined,
			isFound: undefined,
			earlierOutcome: undefined,
			mayResend,
			onRecord: undefined,
			id,
			accountKey,
			previous: undefined,
			ended: undefined,
			isReserved: undefined,
			usedBy: undefined,
		};
	}

	/** Gives sends their places, and the outcomes of earlier attempts at them. Call this in the order of the items. */
	match(sends: Send[]): void {
		for (const [key, group] of groupBy(sends, ({ recipient }) => recipient)) {
			const recipient = this.recipientOf(key);
			const matched = matchAttempts(group, recipient.own, this.isRepeated && !this.isNew);
			for (const send of group)
				this.takeOver(send, matched.get(send) ?? this.findOther(send, recipient));
		}
	}

	/** Adds the outcome of an earlier attempt that is on record. */
	addEarlier(send: Send, outcome: Outcome): void {
		// The log may know why it is unknown, and the record does not.
		const isKnown = outcome.is !== 'sent' && send.earlierOutcome?.is === 'unknown';
		const isOtherCall = this.isTool && outcome.is === 'changed';
		if (!isKnown) send.earlierOutcome = isOtherCall ? OTHER_CALL : outcome;
		send.isFound = true;
		if (mayBeSent(send.earlierOutcome)) this.addUncertainItem(send);
		this.store(send, send.earlierOutcome!);
	}

	store(attempt: Attempt, outcome: Outcome): void {
		const { recipient, sequence } = attempt;
		// n8n may end the execution meanwhile.
		const text = encodeAttempt(attempt, outcome.is === 'begun' ? INTERRUPTED : outcome);
		(this.stored.attempts[recipient] ??= [])[sequence] = text;
	}

	/** Returns the attempt of a send that no earlier try made: an unknown one, even of another call of an agent, or a new one. */
	private findOther(send: Send, { own, others }: Recipient): Attempt {
		// Several items may be the same as one that is unknown: each gets a place of its own.
		const sequence = this.stored.attempts[send.recipient]?.length ?? 0;
		const changed = findChanged(send, own);
		if (changed) return { ...send, sequence, outcome: this.isTool ? OTHER_CALL : changed };
		const delivery = getField(this.context.getInputData()[send.itemIndex].json, 'error.delivery');
		return { ...(findUnknown(send, others, delivery) ?? send), sequence };
	}

	/** Takes over the entry of an earlier attempt at a send in the log. */
	private takeOver(send: Send, attempt: Attempt): void {
		const { outcome, content, idHash, sequence, entry, isFound } = attempt;
		const isSame = content === send.content && idHash === send.idHash;
		const isOnRecord = entry?.execution === this.stored.number && isSame;
		const onRecord = isOnRecord && outcome.is === 'notSent' ? outcome.is : undefined;
		Object.assign(send, { sequence, isFound, entry, onRecord });
		if (mayBeSent(outcome) || outcome.is === 'changed') send.earlierOutcome = outcome;
		if (mayBeSent(outcome)) this.addUncertainItem(send);
		this.store({ ...send, content, idHash, entry }, send.earlierOutcome ?? send.outcome);
	}

	private addUncertainItem({ recipient, sequence, itemIndex }: Attempt): void {
		this.uncertainItems.set(`${recipient}.${sequence}`, itemIndex);
	}

	private recipientOf(key: string): Recipient {
		const known = this.recipients.get(key);
		if (known) return known;
		const all = this.attemptsAt(key);
		// A call of a tool never repeats another one of its execution.
		const isOwn = ({ run, outcome }: Attempt) =>
			this.isTool ? run !== this.run && mayBeSent(outcome) : run === this.run;
		const created = { own: new Set(all.filter(isOwn)), others: all.filter((one) => !isOwn(one)) };
		this.recipients.set(key, created);
		return created;
	}
}
