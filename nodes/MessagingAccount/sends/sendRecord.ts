import type { IExecuteFunctions } from 'n8n-workflow';

import { DatabaseError } from '../errors/errorClasses';
import { isToolNode } from '../shared/isToolNode';
import { getCancelSignal } from '../transport/request';
import { onExecutionStored } from './executionEnd';
import { getExecutionOrigin, type ExecutionOrigin } from './executionOrigin';
import { ProcessedData } from './processedData';
import { listSentKeys, type SendLog, type SendLogEntry } from './sendLog';

/** Keys of crashed executions and of retries stay. They must not be dropped before the execution is retried. */
const MAX_KEYS = 50_000;

/** n8n searches its whole record for each key that it removes, and does nothing else meanwhile. */
const MAX_REMOVED_AT_ONCE = 2000;

const RECORD_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

/** To find a number that is free: a loop that crashed may have taken many. */
const RUNS_AT_ONCE = 100;

/**
 * The keys of sends in n8n's record of processed data. A send has first keys, which say that a request may have been made, and
 * second keys, which say that it was sent. They are made of the execution's origin and of what the send is, so the retries of
 * an execution find them again, and other executions do not.
 */
export class SendRecord {
	/**
	 * False if n8n keeps no record for this workflow, e.g. one that is not saved: it then cannot retry after a crash, either. And
	 * for a tool, if all executions would have the same origin.
	 */
	private isAvailable: boolean;

	private readonly data: ProcessedData;

	private readonly origin: ExecutionOrigin;

	private keyCount = 0;

	private readonly runKey: string;

	private isRunOnRecord = false;

	constructor(
		private readonly context: IExecuteFunctions,
		private readonly log: SendLog,
	) {
		this.data = new ProcessedData(context, async () => MAX_KEYS);
		this.origin = getExecutionOrigin(context);
		this.isAvailable = this.origin.isUnique || !isToolNode(context.getNode());
		this.runKey = this.createKey('run', log.stored.runs);
	}

	/**
	 * Puts this run on record; in a first execution, `add` does so. If its number is taken, a run that the send log does not know has
	 * sent something, and this run takes the next free number.
	 *
	 * @returns whether there is such a run
	 * @throws DatabaseError
	 */
	async addRun(): Promise<boolean> {
		this.isRunOnRecord = true;
		const { runs } = this.log.stored;
		for (let first = runs, length = 1; ; first += length, length = RUNS_AT_ONCE) {
			const keys = Array.from({ length }, (_, i) => this.createKey('run', first + i));
			const free = await this.use(async () => await this.data.takeFirstFree(keys));
			if (free === -1) continue;
			if (free === undefined) return false;
			this.count(1);
			this.log.stored.runs = first + free;
			return this.log.stored.runs > runs;
		}
	}

	/**
	 * Adds the first keys of sends that are about to begin, and the second keys of others that were sent.
	 *
	 * @returns those whose first keys were there already
	 * @throws DatabaseError
	 */
	async add(begun: SendLogEntry[], sent: SendLogEntry[]): Promise<SendLogEntry[]> {
		const keys = [...this.keysOf(sent, 'sent'), ...this.keysOf(begun, 'begun')];
		if (!this.isRunOnRecord) keys.push(this.runKey);
		const added = await this.use(async () => await this.data.add(keys));
		if (!added) return [];
		this.isRunOnRecord = true;
		this.count(added.size);
		return begun.filter((entry) => this.keysOf([entry], 'begun').some((key) => !added.has(key)));
	}

	/**
	 * Returns those of the sends whose second keys are on record.
	 *
	 * @throws DatabaseError
	 */
	async findSent(entries: SendLogEntry[]): Promise<SendLogEntry[]> {
		if (entries.length === 0) return [];
		const keys = this.keysOf(entries, 'sent');
		const found = await this.use(
			async () => await this.data.find(keys, `${this.origin.key}:look-up`),
		);
		return entries.filter((entry) => this.keysOf([entry], 'sent').some((key) => found?.has(key)));
	}

	/**
	 * Removes the first keys of sends that this run has begun, because nothing was sent.
	 *
	 * @throws DatabaseError
	 */
	async removeBegun(entries: SendLogEntry[]): Promise<void> {
		const keys = this.keysOf(entries, 'begun');
		await this.use(async () => await this.data.remove(keys));
		this.count(-keys.length);
	}

	/**
	 * Removes any second keys of sends that are about to begin: those of an equal execution that n8n does not tell from this one.
	 *
	 * @throws DatabaseError
	 */
	async removeSent(entries: SendLogEntry[]): Promise<void> {
		const keys = this.keysOf(entries, 'sent');
		await this.use(async () => await this.data.remove(keys));
	}

	/**
	 * Call this at the end of a run. Its keys are needed until n8n has stored the execution, with the send log.
	 *
	 * @param isRetry the keys of a retry stay, because the execution that it retries can be retried again
	 */
	end(isRetry: boolean): void {
		const isRemoved =
			!isRetry &&
			this.origin.isUnique &&
			// n8n has called back already.
			!getCancelSignal(this.context)?.aborted &&
			onExecutionStored(this.context, async (isStored) => {
				if (isStored) await this.removeAll();
				this.data.countInUse(-this.keyCount);
			});
		if (!isRemoved) this.data.countInUse(-this.keyCount);
	}

	/** Removes all keys of the run, except those of unknown sends. */
	private async removeAll(): Promise<void> {
		// In about the order in which they are on record: n8n searches from the front for each key.
		const sends = listSentKeys(this.log.stored, this.log.round).flatMap((key) => [
			this.createKey('begun', key),
			this.createKey('sent', key),
		]);
		const keys = [this.runKey, ...sends];
		// If this is not possible, the keys stay until newer ones take their place.
		await this.use(async () => {
			for (let i = 0; i < keys.length; i += MAX_REMOVED_AT_ONCE) {
				await this.data.removeForGood(keys.slice(i, i + MAX_REMOVED_AT_ONCE));
			}
		}).catch(() => {});
	}

	private createKey(kind: 'run' | 'begun' | 'sent', rest: string | number): string {
		return `${this.origin.key}:${kind}:${rest}`;
	}

	private keysOf(entries: SendLogEntry[], kind: 'begun' | 'sent'): string[] {
		return entries.flatMap(({ keys }) => keys.map((key) => this.createKey(kind, key)));
	}

	private count(change: number): void {
		this.keyCount += change;
		this.data.countInUse(change);
	}

	/** @returns undefined if n8n keeps no record for this workflow */
	private async use<T>(call: () => Promise<T>): Promise<T | undefined> {
		if (!this.isAvailable) return undefined;
		return await call().catch((error: unknown) => {
			if (!isNotSaved(error)) throw new DatabaseError(error, RECORD_NEEDED);
			this.isAvailable = false;
			return undefined;
		});
	}
}

/** A workflow without an ID fails an assertion of n8n, one that is not in the database violates a foreign key. */
function isNotSaved(error: unknown): boolean {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return code === 'ERR_ASSERTION' || /foreign key constraint/i.test(String(message));
}
