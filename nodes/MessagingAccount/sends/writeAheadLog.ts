import type { IExecuteFunctions } from 'n8n-workflow';

import { Mutex } from '../shared/mutex';
import { isSent, isUnknown } from './outcome';
import type { SendLog, SendLogEntry } from './sendLog';
import { SendRecord } from './sendRecord';

/**
 * How long the sends of a batch should take: less than a second's worth of sends is unknown after a crash. A write takes a few
 * ms, about one percent of this.
 */
export const BATCH_MS = 700;

/** How many times as large as the one before a batch may be: the first sends say little about the next ones. */
const MAX_GROWTH = 32;

const STOPPED = { unknownReason: 'n8n may have stopped before it ended' };

/**
 * - planned: not on record
 * - begun: on record, and this run may remove it
 * - found: on record since an earlier attempt
 * - failed: on record by this run, and to be removed, because nothing was sent
 */
type State = 'planned' | 'begun' | 'found' | 'failed';

/**
 * The part of the send log that survives a crash. Before a request is made, it is on record that it may have been; after it,
 * what became of it. Both are written for a batch of sends at a time: the outcomes of the last and the intents of the next
 * ones. A retry whose send log is incomplete looks up each send before it makes a request.
 *
 * This must always be true, whenever n8n stops: a send is on record as begun from before its request until it is certain that
 * nothing was sent, or n8n has stored the execution. It is on record as sent only if it was.
 */
export class WriteAheadLog {
	/** How many sends to plan at a time. */
	batchSize: number;

	/** Of all sends that have not ended, in order. */
	private readonly states = new Map<SendLogEntry, State>();

	/** Not on record as sent yet. */
	private readonly sentEntries: SendLogEntry[] = [];

	private readonly record: SendRecord;

	private readonly isRetry: boolean;

	private readonly mutex = new Mutex();

	private hasUnknownRun?: Promise<boolean>;

	private lastBatch?: { start: number; size: number };

	/** @param concurrency how many sends may be in progress at a time */
	constructor(
		context: IExecuteFunctions,
		private readonly log: SendLog,
		private readonly concurrency: number,
	) {
		this.record = new SendRecord(context, log);
		this.isRetry = context.getMode() === 'retry';
		this.batchSize = concurrency;
	}

	/** Call this in the order of the items. */
	plan(entry: SendLogEntry): void {
		this.states.set(entry, 'planned');
	}

	/**
	 * Whether another run may have sent something that the send log does not know: n8n stores it at the end of an execution, so
	 * a crash leaves none, and a retry begins with that of the execution that it retries, whatever other retries have sent.
	 *
	 * @throws DatabaseError
	 */
	async isLogIncomplete(): Promise<boolean> {
		if (!this.isRetry) return false;
		this.hasUnknownRun ??= this.record.addRun();
		if (await this.hasUnknownRun) this.log.stored.isIncomplete = true;
		return this.log.stored.isIncomplete === true;
	}

	/**
	 * Sets `previous` if an attempt at the send is on record that the send log does not know.
	 *
	 * @throws DatabaseError
	 */
	async lookUp(entry: SendLogEntry): Promise<void> {
		if (!(await this.isLogIncomplete())) return;
		await this.mutex.runExclusive(async () => {
			// n8n has no call that only reads: what is not on record is begun by this.
			if (this.states.get(entry) === 'planned') await this.beginBatch(entry);
		});
	}

	/**
	 * Call this just before a request is made.
	 *
	 * @param isResend whether to make it although the send is on record
	 * @returns false if it must not be made: another retry of the same execution has begun the send meanwhile, or has sent it
	 * @throws DatabaseError
	 */
	async begin(entry: SendLogEntry, isResend: boolean): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			const state = this.states.get(entry);
			if (state === 'failed') this.states.set(entry, 'begun');
			if (state === undefined || state === 'planned') await this.beginBatch(entry);
			return !isSent(entry.previous) && (isResend || this.states.get(entry) !== 'found');
		});
	}

	sent(entry: SendLogEntry): void {
		this.states.delete(entry);
		this.sentEntries.push(entry);
	}

	unknown(entry: SendLogEntry): void {
		this.states.delete(entry);
	}

	notSent(entry: SendLogEntry): void {
		const state = this.states.get(entry);
		if (state === 'begun') this.states.set(entry, 'failed');
		else if (state !== 'failed') this.states.delete(entry);
	}

	/** Call this when the work on a send has ended, in whatever way: if it never began, it is not on record. */
	close(entry: SendLogEntry): void {
		if (!entry.isStarted) this.notSent(entry);
	}

	/** @throws DatabaseError */
	async flush(): Promise<void> {
		await this.mutex.runExclusive(async () => await this.write([]));
	}

	/**
	 * Call this when all sends have ended.
	 *
	 * @throws DatabaseError
	 */
	async finish(): Promise<void> {
		for (const entry of this.states.keys()) this.close(entry);
		// Another run can take the number of one that is not on record.
		const isOnRecord = await this.hasUnknownRun?.then(() => true).catch(() => false);
		if (this.isRetry && !isOnRecord) this.log.stored.isIncomplete = true;
		await this.flush().finally(() => this.record.end(this.isRetry));
	}

	/** Puts the next batch of planned sends on record, with this one. */
	private async beginBatch(entry: SendLogEntry): Promise<void> {
		const batch = this.takeBatch(entry);
		await this.beginAll(batch).catch((error: unknown) => {
			// Each of the others has to be looked up again: it may have been sent.
			for (const one of batch) this.states.set(one, 'planned');
			throw error;
		});
	}

	/** In a retry, finds out which of them another run has sent. */
	private async beginAll(batch: SendLogEntry[]): Promise<void> {
		const found = await this.write(batch);
		if (!this.isRetry) await this.record.removeSent(found);
		if (!(await this.isLogIncomplete())) return;
		// All of them: another retry may have sent what this one finds no longer begun.
		for (const one of await this.record.findSent(batch)) {
			this.states.set(one, 'found');
			one.previous = { id: null };
		}
	}

	/** @returns those sends of the batch that were on record already */
	private async write(batch: SendLogEntry[]): Promise<SendLogEntry[]> {
		// More may be sent during the write.
		const sent = this.sentEntries.splice(0);
		const failed = [...this.states.keys()].filter((entry) => this.states.get(entry) === 'failed');
		const keepForNextWrite = (error: unknown) => {
			this.sentEntries.push(...sent);
			throw error;
		};
		const found =
			batch.length + sent.length > 0
				? await this.record.add(batch, sent).catch(keepForNextWrite)
				: [];
		for (const entry of batch) this.states.set(entry, 'begun');
		// Before anything else can fail: what an earlier attempt has begun is not this run's to remove.
		for (const entry of found) this.setFound(entry);
		if (failed.length > 0) {
			await this.record.removeBegun(failed);
			for (const entry of failed) this.states.delete(entry);
		}
		return found;
	}

	private setFound(entry: SendLogEntry): void {
		if (!this.isRetry && !isUnknown(entry.previous)) return;
		this.states.set(entry, 'found');
		if (!isUnknown(entry.previous)) entry.previous = STOPPED;
	}

	private takeBatch(entry: SendLogEntry): SendLogEntry[] {
		const now = Date.now();
		if (this.lastBatch) {
			const { start, size } = this.lastBatch;
			const perMs = size / Math.max(now - start, 1);
			const wanted = Math.min(Math.round(perMs * BATCH_MS), size * MAX_GROWTH);
			this.batchSize = Math.max(wanted, this.concurrency);
		}
		const batch = [entry];
		for (const [other, state] of this.states) {
			if (batch.length >= this.batchSize) break;
			if (state === 'planned' && other !== entry) batch.push(other);
		}
		this.lastBatch = { start: now, size: batch.length };
		return batch;
	}
}
