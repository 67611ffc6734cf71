import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { getCancelSignal } from './cancelSignal';
import { DatabaseError, means } from './databaseErrors';
import { log } from './notify';
import {
	MAX_BUSY_MS,
	MAX_KEYS_AT_ONCE,
	type N8nCalls,
	openRow,
	type ProcessedDataRow,
} from './processedDataRow';
import { sleepUnlessAborted } from './sleep';

/** The interval at which a call to a locked database is repeated. */
const BUSY_RETRY_MS = 200;

export const toSureKey = (key: string) => `${key}:sure`;

/** Returns two keys for each fact that must not be misread: a look-up that a crash interrupts leaves only the first one. */
export const toSureKeys = (...keys: string[]) => keys.flatMap((key) => [key, toSureKey(key)]);

/**
 * Keys in n8n's record of processed data, which n8n keeps across executions, in its database. The way of a key: `add` →
 * `row.addWithRepeats`, with what waits → `row.add`, which says what was new → `addToN8n` → `callN8n`, which calls n8n.
 *
 * This must always be true: a key that was added stays until it is removed, and counts as there even if another process has overwritten it.
 * Work that nobody waits for counts as done, and is done within seconds, unless n8n stops before. All promises may reject with a DatabaseError.
 */
export class ProcessedData implements N8nCalls {
	readonly row: ProcessedDataRow;
	/** Whether there is no record, e.g. because the workflow is not saved: n8n cannot retry it after a crash, either. */
	isUnavailable = false;
	private scope: DeduplicationScope;

	/**
	 * @param maxKeysOf n8n keeps a record for each node and for each workflow. Without that of the workflow, the node's is used, or none.
	 * Beyond these numbers, n8n drops the oldest. It reads and writes all for every call: 8 ms for 30,000, 30 ms for 75,000.
	 * @param advice for the person who reads that n8n's database cannot be used @param consequence if nobody waits for the call
	 * @param room how many more keys one execution may add
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private readonly maxKeysOf: Partial<Record<DeduplicationScope, number>>,
		private readonly advice: string,
		private readonly consequence: string,
		room = 0,
	) {
		this.scope = maxKeysOf.workflow === undefined ? 'node' : 'workflow';
		const nodeId = this.scope === 'node' ? context.getNode().id : undefined;
		this.row = openRow(String(context.getWorkflow().id), nodeId);
		this.row.room = Math.max(this.row.room, room);
	}

	/** Adds keys, and returns those that were not there. @param othersRemove never repeated: another process may remove them for good */
	async add(keys: string[], othersRemove: string[] = []): Promise<Set<string>> {
		const { row } = this;
		if (this.isUnavailable) return new Set(keys);
		return await row.mutex.runExclusive(async () => {
			const missing = await row.addWithRepeats(this, keys);
			row.stopAdding(othersRemove);
			// One that waits for its removal counts as not there: it is added, and stays. `delete` tells whether it waited.
			const kept = keys.filter((key) => row.toRemove.delete(key));
			return new Set([...kept, ...keys.filter((key) => missing.has(key))]);
		});
	}

	/** Returns the keys that are there. n8n cannot just read: the others are added and removed again. @param more with each call */
	async find(keys: string[], ...more: string[]): Promise<Set<string>> {
		const found = new Set<string>();
		for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE) {
			const some = [...more, ...keys.slice(i, i + MAX_KEYS_AT_ONCE)];
			await this.row.mutex.runExclusive(async () => {
				const added = await this.row.add(this, some);
				await this.removeFromN8n([...added]);
				for (const key of some) if (!added.has(key) && !this.row.toRemove.has(key)) found.add(key);
			});
		}
		return found;
	}

	/** Returns the keys that are there with their second ones. */
	async findSure(keys: string[]): Promise<Set<string>> {
		const found = await this.find(keys);
		const seconds = await this.find([...found].map(toSureKey));
		return new Set(keys.filter((key) => seconds.has(toSureKey(key))));
	}

	async remove(keys: string[]): Promise<void> {
		await this.row.mutex.runExclusive(async () => {
			this.row.stopAdding(keys);
			await this.removeFromN8n(keys);
		});
	}

	/** Adds keys with the next call or, without one, within a second. */
	addSoon(keys: string[]): void {
		if (this.isUnavailable) return;
		for (const key of keys) this.row.toAdd.add(key);
		this.row.startWriting(this);
	}

	/** Removes keys that nobody adds again, even if another process writes them back. */
	removeSoon(keys: string[]): void {
		if (this.isUnavailable) return;
		for (const key of keys) this.row.toRemove.add(key);
		this.row.startWriting(this);
	}

	/** Adds what waits, and repeats the latest keys: the next execution may begin at once in another process, which may have overwritten them. */
	async flush(): Promise<void> {
		if (!this.isUnavailable) await this.row.flush(this);
	}

	/** Whether n8n may have dropped the oldest keys, for lack of the room that an execution with few items leaves. */
	async mayHaveDropped(): Promise<boolean> {
		// Some may have been removed since.
		return (await this.count()) >= 0.9 * this.maxKeys;
	}

	/** Whether n8n drops the oldest keys as soon as there are more. */
	async isFull(): Promise<boolean> {
		return (await this.count()) >= this.maxKeys + this.row.room;
	}

	reportFailure(error: Error): void {
		log(this.context, `${error.message}. ${this.consequence}`);
	}

	async addToN8n(keys: string[]): Promise<string[]> {
		return await this.callN8n(keys, async (...where) => {
			const checked = await this.context.helpers.checkProcessedAndRecord(keys, ...where);
			return checked.new as string[];
		});
	}

	async removeFromN8n(keys: string[]): Promise<void> {
		const { removeProcessed } = this.context.helpers;
		if (keys.length === 0) return;
		await this.callN8n(undefined, async (...where) => await removeProcessed(keys, ...where));
	}

	private get maxKeys(): number {
		return this.maxKeysOf[this.scope]!;
	}

	private async count(): Promise<number> {
		return await this.callN8n(0, this.context.helpers.getProcessedDataCount);
	}

	/**
	 * Repeats a call while the database is busy, until the execution is stopped, and with the node's record if that of the workflow has values
	 * of another kind. @param ifUnavailable the result if n8n keeps none at all
	 */
	private async callN8n<T>(
		ifUnavailable: T,
		call: (scope: DeduplicationScope, options: ICheckProcessedOptions) => Promise<T>,
		giveUpAt = performance.now() + MAX_BUSY_MS,
	): Promise<T> {
		if (this.isUnavailable) return ifUnavailable;
		const options = { mode: 'entries', maxEntries: this.maxKeys + this.row.room } as const;
		return await call(this.scope, options).catch(async (error: unknown) => {
			const isOfWorkflow = this.scope === 'workflow';
			const mayWait = means(error, 'busy') && performance.now() < giveUpAt;
			const signal = getCancelSignal(this.context);
			if (isOfWorkflow && means(error, 'ofAnotherMode')) this.scope = 'node';
			else if (isOfWorkflow && means(error, 'notSaved')) {
				this.isUnavailable = true;
				// The record is gone for all who share the row: without this, background writes would go on for ever.
				this.row.dropWork();
			} else if (!mayWait || !(await sleepUnlessAborted(BUSY_RETRY_MS, signal)))
				throw new DatabaseError(error, this.advice);
			return await this.callN8n(ifUnavailable, call, giveUpAt);
		});
	}
}
