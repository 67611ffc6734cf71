import type { IExecuteFunctions } from 'n8n-workflow';

import { Mutex } from '../shared/mutex';
import { sleep } from '../shared/sleep';
import { Batch } from '../shared/batch';
import { mayBeSent, type Fate, type Message, type Send } from './send';
import { SendLog } from './sendLog';
import { SendRecord } from './sendRecord';

const LATE_CHECK_MS = 100;

const UNTRACEABLE: Fate = { is: 'unknown', reason: "n8n's new engine does not tell" };

/**
 * Keeps two facts of each send: what became of it, and what is on record of it. The send log knows the first, the record, which
 * survives a crash, the second. Before a request is made, it is on record that it may have been; after it, what became of it. Both
 * are written for a batch of sends at a time: the outcomes of the last and the intents of the next ones.
 *
 * This must always be true, whenever n8n stops: a send is on record as begun from before its request until it is certain that
 * nothing was sent, or n8n has stored the execution. It is on record as sent only if it was. And what is on record as begun has
 * begun, or is about to within a second, or three of a list of tens of thousands.
 */
export class Ledger {
	readonly log: SendLog;

	private readonly record: SendRecord;

	private readonly isRetry: boolean;

	/**
	 * Most executions of one item end before it must be on record that it was sent. If n8n stops within a second, it is unknown,
	 * as the last sends of a list can be.
	 */
	private readonly isOfOneItem: boolean;

	/**
	 * Whether what is on record and not in the log is from another run of the same execution: one before a retry, or one that goes on
	 * although n8n shows it as ended. If not, it may be from an equal execution.
	 */
	private readonly heedsRecord: boolean;

	/** Not matched with earlier attempts yet. */
	private planned: Send[] = [];

	private lastLookUp: Promise<void>;

	/** Those that this run makes, in order, without those that are on record as sent. */
	private readonly open = new Set<Send>();

	private readonly mutex = new Mutex();

	private readonly batch: Batch;

	private watching?: Promise<void>;

	private hasEnded = false;

	/** @param concurrency how many sends may be in progress at a time */
	constructor(
		context: IExecuteFunctions,
		private readonly concurrency: number,
	) {
		this.log = new SendLog(context);
		this.isRetry = context.getMode() === 'retry';
		this.isOfOneItem = context.getInputData().length === 1;
		this.record = new SendRecord(context, this.log, this.isRetry);
		this.heedsRecord = this.isRetry || this.record.isOfOneStart;
		this.batch = new Batch(concurrency);
		// Also if nothing will be looked up: a run that is not on record is unknown to the next one.
		this.lastLookUp = this.isRetry ? this.record.addRun() : Promise.resolve();
		// Each send that needs it reports it.
		this.lastLookUp.catch(() => {});
	}

	/** How many sends to plan at a time. Only all of them together can be matched with earlier attempts. */
	get batchSize(): number {
		return this.isRetry || this.log.isRepeated ? Infinity : this.batch.size;
	}

	/** Call this in the order of the items. */
	plan(itemIndex: number, message: Message): Send {
		const send = this.log.create(itemIndex, message);
		this.planned.push(send);
		return send;
	}

	/** Tells what became of an earlier attempt at the send. @throws DatabaseError */
	async lookUp(send: Send): Promise<Fate | undefined> {
		this.match();
		await this.lastLookUp;
		return send.earlier;
	}

	/**
	 * Puts the send on record, if it is not. Call this just before a request is made.
	 *
	 * @param isResend whether to make it although an earlier attempt is on record
	 * @returns false if it must not be made: another retry of the same execution has begun the send meanwhile, or has sent it
	 * @throws DatabaseError
	 */
	async begin(send: Send, isResend: boolean): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			this.watching ??= this.watch();
			this.open.add(send);
			send.fate = { is: 'planned' };
			if (send.onRecord === 'no') await this.beginBatch(send);
			const mayBegin = send.onRecord === 'mine' || (isResend && send.onRecord === 'others');
			// From now on, it stays on record.
			if (mayBegin) send.fate = { is: 'begun' };
			return mayBegin;
		});
	}

	/** Call this when the request is made, and when it has ended. */
	settle(send: Send, fate: Fate): void {
		send.fate = fate;
		this.log.store(send, fate);
		if (fate.is === 'begun') this.batch.startedCount++;
	}

	/** Call this when the work on a send has ended, in whatever way. */
	close(send: Send): void {
		if (send.fate.is === 'planned' || send.fate.is === 'begun') {
			send.fate = { is: 'notSent' };
			if (!send.earlier) this.log.store(send, send.fate);
		}
	}

	/** Whether an earlier attempt at an item may have sent something, even to another number. @throws DatabaseError */
	async mayHaveSent(itemIndex: number): Promise<boolean> {
		this.match();
		await this.lastLookUp;
		const { log } = this;
		return log.stored.isIncomplete || log.mayHaveSent(itemIndex) || log.hasUnknownCall();
	}

	/**
	 * Call this when all sends have ended.
	 *
	 * @returns whether n8n may have dropped what it had on record of earlier executions
	 * @throws DatabaseError
	 */
	async finish(): Promise<boolean> {
		this.hasEnded = true;
		for (const send of this.open) this.close(send);
		const flush = async () => {
			const [sent] = this.select('sent');
			if (sent && this.isOfOneItem && this.record.isTemporary) {
				this.record.addSoon(sent);
				this.open.delete(sent);
			}
			await this.write([]);
			return await this.record.isFull();
		};
		return await this.mutex.runExclusive(flush).finally(() => this.record.end());
	}

	private match(): void {
		const sends = this.planned;
		if (sends.length === 0) return;
		this.planned = [];
		this.log.match(sends);
		this.lastLookUp = this.lastLookUp.then(async () => {
			// Also if the log seems to be complete: the other runs may have been retries of this execution's retries.
			if (this.isRetry)
				await this.findOnRecord(sends.filter(({ earlier }) => earlier?.is !== 'sent'));
			if (this.record.isUntraceable) for (const send of sends) send.earlier ??= UNTRACEABLE;
			for (const send of sends) if (!mayBeSent(send.earlier)) this.open.add(send);
		});
		this.lastLookUp.catch(() => {});
	}

	private async findOnRecord(sends: Send[]): Promise<void> {
		this.log.matchFound(sends, await this.record.find(sends));
		// The look-up has put them on record, and taken them off.
		for (const send of sends) send.isTakenOff ||= send.onRecord === 'no';
	}

	/** Puts the next batch of sends on record, with this one. */
	private async beginBatch(send: Send): Promise<void> {
		const waiting = this.select('planned', 'no').filter((other) => other !== send);
		const batch = [send, ...waiting.slice(0, this.batch.nextSize() - 1)];
		this.batch.begin(batch.length);
		const found = await this.write(batch);
		if (!this.heedsRecord) return await this.record.forget(found, 'sent');
		// Each by itself: it must keep its number.
		for (const one of found) await this.findOnRecord([one]);
	}

	/**
	 * Brings the record up to date.
	 *
	 * @param begun sends that are about to begin
	 * @param late those that are not about to begin after all
	 * @returns those about to begin that were on record already
	 */
	private async write(begun: Send[], late: Send[] = []): Promise<Send[]> {
		const sent = this.select('sent');
		const found = await this.record.add(begun, sent);
		for (const send of begun) send.onRecord = 'mine';
		// Before anything else can fail: what an earlier attempt has begun is not this run's to remove.
		for (const send of found) {
			if (this.heedsRecord || send.earlier?.is === 'unknown') send.onRecord = 'others';
		}
		for (const send of sent) this.open.delete(send);
		const notBegun = [...this.select('notSent', 'mine'), ...late];
		await this.record.forget(notBegun);
		for (const send of notBegun) {
			send.onRecord = 'no';
			send.isTakenOff = true;
		}
		return found;
	}

	private select(is: Fate['is'], onRecord?: Send['onRecord']): Send[] {
		const isSelected = (send: Send) =>
			send.fate.is === is && (onRecord === undefined || send.onRecord === onRecord);
		return [...this.open].filter(isSelected);
	}

	/** Whenever the next batch is late, takes off the record what has not begun, but for the next few, and puts on it what was sent. */
	private async watch(): Promise<void> {
		while (!this.hasEnded) {
			// If this fails, the next write does it.
			await this.mutex.runExclusive(async () => await this.writeLate()).catch(() => {});
			await sleep(LATE_CHECK_MS);
		}
	}

	private async writeLate(): Promise<void> {
		if (!this.batch.isLate) return;
		const waiting = this.select('planned', 'mine');
		this.batch.begin(this.concurrency);
		await this.write([], waiting.slice(this.concurrency));
	}
}
