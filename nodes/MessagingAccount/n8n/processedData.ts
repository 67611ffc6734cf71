import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { isBusy, isNotSaved, isOfAnotherMode } from '../errors/databaseErrors';
import { DatabaseError } from '../errors/errorClasses';
import { Mutex } from '../shared/mutex';
import { sleep, sleepUnlessAborted } from '../shared/sleep';
import { getCancelSignal } from '../transport/request';
import { ProcessedDataRow, SETTLE_MS, REPEATED_FOR_MS } from './processedDataRow';

/** The time for which work that nobody waits for is collected, for all executions: a crash loses less than a second's worth. */
const UPKEEP_MS = 700;

/** The interval at which all keys that can get lost are repeated. The latest ones are repeated with each call. */
const REPEAT_MS = 1000;

/** The most keys in one call: n8n searches its whole record for each key that it removes, and does nothing else meanwhile. */
const MAX_KEYS_AT_ONCE = 500;

/** The most removals to repeat: those of a list would take too long, and lists rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;

/** The number of added keys after which they are counted, because n8n reads its whole record for that. */
const KEYS_BETWEEN_COUNTS = 300;

/** The longest wait for a database that is locked: a backup, for example, takes some seconds. */
const MAX_BUSY_MS = 30_000;
const BUSY_RETRY_MS = 200;

const rows = new Map<string, ProcessedDataRow>();

/** The mutexes, by workflow: n8n reads a record, changes it and writes it back, so two calls at the same time would lose a key. */
const mutexes = new Map<string, Mutex>();

type Call<T> = (options: ICheckProcessedOptions) => Promise<T>;

/**
 * Keys in n8n's record of processed data, which n8n keeps across executions, in its database.
 *
 * Another process, e.g. a worker in queue mode, may have read the record before a key was added, and may then write it back without that
 * key, or with one that was removed. So the latest keys are repeated with each call, and all keys of the last seconds once a second, until
 * any such process must have finished writing. Removals are repeated only for keys that nobody adds again.
 *
 * This must always be true: a key that was added stays until it is removed, and counts as there even if another process has overwritten it.
 * Work that nobody waits for is done within seconds, or not at all if n8n stops before, and counts as done until then. Every method that
 * returns a promise may throw a DatabaseError, except for `catchUp`.
 */
export class ProcessedData {
	private readonly row: ProcessedDataRow;
	private readonly mutex: Mutex;

	/** Whether n8n keeps no record, e.g. because the workflow is not saved: n8n cannot retry it after a crash, either. */
	isUnavailable = false;

	/**
	 * @param scope n8n keeps a record for each node, and another one for each workflow. If it cannot keep that of the workflow, keys are
	 * kept for the node, or not at all.
	 * @param maxKeys beyond it, n8n drops the oldest. It reads and writes all for every call: 8 ms for 30,000, 30 ms for 75,000.
	 * @param room the number of further keys: those of one execution
	 * @param advice for the person who reads that n8n's database cannot be used @param consequence if nobody waits for the call
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		private scope: DeduplicationScope,
		private readonly maxKeys: number,
		room: number,
		private readonly advice: string,
		private readonly consequence: string,
	) {
		const id = String(context.getWorkflow().id);
		const name = id + (scope === 'node' ? `/${context.getNode().id}` : '');
		this.row = rows.get(name) ?? new ProcessedDataRow();
		rows.set(name, this.row);
		this.row.room = Math.max(this.row.room, room);
		this.mutex = mutexes.get(id) ?? new Mutex();
		mutexes.set(id, this.mutex);
	}

	/** Adds keys, and returns those that were not there: of watched ones, also those that another process has removed or overwritten. */
	async add(keys: string[], watched: string[] = []): Promise<Set<string>> {
		const { row } = this;
		for (const key of watched) row.addedLately.delete(key);
		return await this.mutex.runExclusive(async () => {
			const start = Date.now();
			// Without keys, this is the upkeep.
			const isRepeat = keys.length === 0 || start - row.lastRepeat >= REPEAT_MS;
			const isDue = ([, since]: [string, number]) => isRepeat || start - since < SETTLE_MS;
			const late = [...row.addedLately].filter(isDue);
			const all = new Set([...keys, ...row.toAdd, ...late.map(([key]) => key)]);
			const added = await this.addAndReport([...all]);
			if (isRepeat) row.lastRepeat = start;
			for (const [key, since] of late)
				if (start - since >= REPEATED_FOR_MS) row.addedLately.delete(key);
			const isWritten = (key: string) =>
				!this.isUnavailable && all.has(key) && !watched.includes(key);
			const written = [...added, ...row.toAdd].filter(isWritten);
			for (const key of written) row.addedLately.set(key, Date.now());
			for (const key of all) row.toAdd.delete(key);
			row.addedCount += written.length;
			this.startUpkeep();
			const wereToBeRemoved = keys.filter((key) => row.toRemove.delete(key));
			return new Set([...wereToBeRemoved, ...keys.filter((key) => added.has(key))]);
		});
	}

	/** Adds keys with the next call, or soon without one. */
	addSoon(keys: string[]): void {
		for (const key of keys) this.row.toAdd.add(key);
		this.startUpkeep();
	}

	async remove(keys: string[]): Promise<void> {
		await this.mutex.runExclusive(async () => {
			this.row.stopAdding(keys);
			await this.erase(keys);
		});
	}

	/** Returns the keys that are there. n8n cannot just read: the others are added and removed again. @param more with each call */
	async find(keys: string[], ...more: string[]): Promise<Set<string>> {
		const found = new Set<string>();
		for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE) {
			const some = [...more, ...keys.slice(i, i + MAX_KEYS_AT_ONCE)];
			await this.mutex.runExclusive(async () => {
				const added = await this.addAndReport(some);
				await this.erase([...added]);
				for (const key of some) if (!added.has(key) && !this.row.toRemove.has(key)) found.add(key);
			});
		}
		return found;
	}

	/** Removes keys that nobody adds again, even if another process writes them back. */
	removeSoon(keys: string[]): void {
		for (const key of keys) this.row.toRemove.add(key);
		this.startUpkeep();
	}

	/** Whether n8n may have dropped the oldest keys. */
	async isFull(): Promise<boolean> {
		const { row } = this;
		if (row.addedCount >= KEYS_BETWEEN_COUNTS) {
			row.addedCount = 0;
			const { getProcessedDataCount: countKeys } = this.context.helpers;
			const call: Call<number> = async (options) => await countKeys(this.scope, options);
			row.isFull = (await this.whileBusy(call, 0)) >= this.maxKeys + row.room;
		}
		return row.isFull;
	}

	private startUpkeep(): void {
		const isRunning = this.row.user !== undefined;
		this.row.user = this;
		if (!isRunning) void keepUp(this.row);
	}

	/** Does the work that nobody waits for, once. Never throws. */
	async catchUp(): Promise<void> {
		const { row } = this;
		try {
			const keys = [...row.toRemove];
			for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE)
				await this.removeForGood(keys.slice(i, i + MAX_KEYS_AT_ONCE));
			const now = Date.now();
			const removals = [...row.removedLately.values()];
			if (removals.some((since) => now - since >= REPEATED_FOR_MS)) await this.removeForGood([]);
			const isDue = row.addedLately.size > 0 && now - row.lastRepeat >= REPEAT_MS;
			if (isDue || row.toAdd.size > 0) await this.add([]);
			row.failingSince = undefined;
		} catch (error) {
			row.failingSince ??= Date.now();
			if (Date.now() - row.failingSince < MAX_BUSY_MS) return;
			this.context.logger.warn(`${(error as Error).message}. ${this.consequence}`);
			row.giveUp();
		}
	}

	private async removeForGood(keys: string[]): Promise<void> {
		const { row } = this;
		await this.mutex.runExclusive(async () => {
			const start = Date.now();
			const earlier = [...row.removedLately];
			// Keys that were added again meanwhile stay.
			const current = keys.filter((key) => row.toRemove.has(key));
			await this.erase([...earlier.map(([key]) => key), ...current]);
			for (const key of current) row.toRemove.delete(key);
			row.stopAdding(current);
			const latest = [
				...earlier.filter(([, since]) => start - since < REPEATED_FOR_MS),
				...current.map((key): [string, number] => [key, Date.now()]),
			];
			row.removedLately = new Map(latest.slice(-MAX_REPEATED_REMOVALS));
		});
	}

	/** Returns the keys that were not there. A key that another process has overwritten, or that is still to be added, counts as there. */
	private async addAndReport(keys: string[]): Promise<Set<string>> {
		const { row } = this;
		const { checkProcessedAndRecord } = this.context.helpers;
		for (const key of keys) row.removedLately.delete(key);
		const call: Call<string[]> = async (options) =>
			(await checkProcessedAndRecord(keys, this.scope, options)).new as string[];
		const added = await this.whileBusy(call, keys);
		const lost = added.filter((key) => row.addedLately.has(key));
		for (const key of lost) row.addedLately.set(key, Date.now());
		return new Set(added.filter((key) => !row.addedLately.has(key) && !row.toAdd.has(key)));
	}

	private async erase(keys: string[]): Promise<void> {
		if (keys.length === 0) return;
		const { removeProcessed } = this.context.helpers;
		const call: Call<void> = async (options) => await removeProcessed(keys, this.scope, options);
		await this.whileBusy(call, undefined);
	}

	/** Repeats a call while the database is busy. Stopping the execution ends this. @param none the result if no record is kept */
	private async whileBusy<T>(call: Call<T>, none: T): Promise<T> {
		if (this.isUnavailable) return none;
		const end = Date.now() + MAX_BUSY_MS;
		const options = { mode: 'entries', maxEntries: this.maxKeys + this.row.room } as const;
		const attempt = async (): Promise<T> =>
			await call(options).catch(async (error: unknown) => {
				const mayWait = isBusy(error) && Date.now() < end;
				const signal = getCancelSignal(this.context);
				if (mayWait && (await sleepUnlessAborted(BUSY_RETRY_MS, signal))) return await attempt();
				if (this.scope === 'node') throw new DatabaseError(error, this.advice);
				if (isOfAnotherMode(error)) this.scope = 'node';
				else if (isNotSaved(error)) this.isUnavailable = true;
				else throw new DatabaseError(error, this.advice);
				return this.isUnavailable ? none : await attempt();
			});
		return await attempt();
	}
}

async function keepUp(row: ProcessedDataRow): Promise<void> {
	while (row.hasWork) {
		await sleep(UPKEEP_MS);
		await row.user!.catchUp();
	}
	row.user = undefined;
}
