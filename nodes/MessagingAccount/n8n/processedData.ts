import {
	sleep,
	type DeduplicationScope,
	type ICheckProcessedOptions,
	type IExecuteFunctions,
} from 'n8n-workflow';

import { DatabaseError } from '../errors/errorClasses';
import { Mutex } from '../shared/mutex';
import { sleepUnlessAborted } from '../shared/sleep';
import { getCancelSignal } from '../transport/request';

/** Several times as long as n8n takes from reading its record to writing it back. On a busy machine, by how long a call takes. */
const SETTLE_MS = 300;
const SETTLE_FACTOR = 10;

/**
 * Nobody waits for removals, so they are always repeated for so long. With two workers on a machine that is too busy, 1,000
 * executions left 38 keys after 300 ms, and none after 3 s.
 */
const MAX_SETTLE_MS = 3000;

/** A further round is only needed if another process removed a key in the round before. */
const MAX_ROUNDS = 10;

/**
 * n8n reads the record, changes it and writes it back, so two calls at once would lose a key. All calls of this process take
 * turns, across executions.
 */
const mutex = new Mutex();

/**
 * By record: keys that were removed for good, and when, in ms since 1970, while another process can still write them back.
 * Changed only under the mutex.
 */
const unsettledRemovals = new Map<string, Map<string, number>>();

/** n8n searches its whole record for each of them. Lists are too long to repeat, and rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;

/** A backup, for example, locks a database for some seconds. */
const MAX_BUSY_MS = 30_000;
const BUSY_RETRY_MS = 200;

/**
 * How SQLite and PostgreSQL say that another one holds a lock, or that a row exists already, because two processes have created
 * it at once for the first key. The call that was refused has stored nothing.
 */
const BUSY = /SQLITE_BUSY|lock timeout|deadlock detected|could not serialize|unique constraint/i;

/**
 * Keys in n8n's record of processed data, which n8n keeps across executions, in its database: a key is there as soon as the call
 * returns.
 *
 * Another process, e.g. a worker in queue mode, may have read the record before a key was added, and may then write it back
 * without that key, or with one that was removed. So each call repeats the latest keys until any such process must have
 * finished writing. Removals are repeated only of keys that nobody adds again.
 */
export class ProcessedData {
	/** When each key was last added, in ms since 1970, while it can still get lost. Changed only under the mutex. */
	private readonly unsettled = new Map<string, number>();

	private settleMs = SETTLE_MS;

	/** Identifies the record. */
	private readonly row: string;

	/**
	 * @param scope n8n keeps a record for each node, and another one for each workflow
	 * @param getLimit how many keys n8n keeps, dropping the oldest. n8n reads and writes all of them for every call. A call took
	 * 9 ms with 10,000 keys and 40 ms with 50,000.
	 * @param advice for the person who reads that n8n's database cannot be used
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		readonly scope: DeduplicationScope,
		private readonly getLimit: () => number,
		private readonly advice: string,
	) {
		this.row = context.getWorkflow().id + (scope === 'node' ? `/${context.getNode().id}` : '');
	}

	/**
	 * Adds keys, and returns those that were not there.
	 *
	 * @throws DatabaseError, as every method
	 */
	async add(keys: string[]): Promise<Set<string>> {
		return await mutex.runExclusive(async () => {
			const all = new Set([...keys, ...this.unsettled.keys()]);
			const start = Date.now();
			const added = await this.record([...all]);
			const longest = Math.min(SETTLE_FACTOR * (Date.now() - start), MAX_SETTLE_MS);
			this.settleMs = Math.max(this.settleMs, longest);
			for (const [key, since] of this.unsettled) {
				if (start - since >= this.settleMs) this.unsettled.delete(key);
			}
			for (const key of added) this.unsettled.set(key, Date.now());
			return new Set(keys.filter((key) => added.has(key)));
		});
	}

	async remove(keys: string[]): Promise<void> {
		if (keys.length === 0) return;
		await mutex.runExclusive(async () => {
			for (const key of keys) this.unsettled.delete(key);
			await this.erase(keys);
		});
	}

	/** Returns those keys that are there. n8n has no call that only reads, so the others are added and removed again. */
	async find(keys: string[]): Promise<Set<string>> {
		return await mutex.runExclusive(async () => {
			const added = await this.record(keys);
			await this.erase([...added]);
			return new Set(keys.filter((key) => !added.has(key)));
		});
	}

	/**
	 * Removes keys that nobody adds again: those of executions that have ended. If another process writes them back, the next
	 * call removes them again, for whatever execution of this process it is made.
	 */
	async removeForGood(keys: string[]): Promise<void> {
		await mutex.runExclusive(async () => {
			const start = Date.now();
			const earlier = [...(unsettledRemovals.get(this.row) ?? [])];
			await this.erase([...earlier.map(([key]) => key), ...keys]);
			const latest = [
				...earlier.filter(([, since]) => start - since < MAX_SETTLE_MS),
				...keys.map((key): [string, number] => [key, Date.now()]),
			];
			unsettledRemovals.set(this.row, new Map(latest.slice(-MAX_REPEATED_REMOVALS)));
		});
	}

	/** Waits until no key can get lost any more. Call this after the last `add`. */
	async settle(): Promise<void> {
		for (let round = 0; this.unsettled.size > 0; round++) {
			if (round === MAX_ROUNDS) {
				throw new DatabaseError(new Error('other processes keep removing them'), this.advice);
			}
			await sleep(this.settleMs);
			await this.add([]);
		}
	}

	/** How many keys there are. */
	async count(): Promise<number> {
		return await this.whileBusy(
			async (options) => await this.context.helpers.getProcessedDataCount(this.scope, options),
		);
	}

	private async record(keys: string[]): Promise<Set<string>> {
		const removals = unsettledRemovals.get(this.row);
		if (removals) keys.forEach((key) => removals.delete(key));
		const { new: added } = await this.whileBusy(
			async (options) =>
				await this.context.helpers.checkProcessedAndRecord(keys, this.scope, options),
		);
		return new Set(added as string[]);
	}

	private async erase(keys: string[]): Promise<void> {
		await this.whileBusy(
			async (options) => await this.context.helpers.removeProcessed(keys, this.scope, options),
		);
	}

	/** Repeats a call while the database is busy. Stopping the execution ends this. */
	private async whileBusy<T>(call: (options: ICheckProcessedOptions) => Promise<T>): Promise<T> {
		const start = Date.now();
		const options = { mode: 'entries', maxEntries: this.getLimit() } as const;
		const attempt = async (): Promise<T> =>
			await call(options).catch(async (error: unknown) => {
				const isBusy = BUSY.test((error as Error).message) && Date.now() - start < MAX_BUSY_MS;
				const signal = getCancelSignal(this.context);
				const isRepeated = isBusy && (await sleepUnlessAborted(BUSY_RETRY_MS, signal));
				if (isRepeated) return await attempt();
				throw new DatabaseError(error, this.advice);
			});
		return await attempt();
	}
}

/** For a workflow without an ID, an assertion of n8n fails; one that is not in the database violates a foreign key. */
export function isNotSaved(error: unknown): boolean {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return code === 'ERR_ASSERTION' || /foreign key constraint/i.test(String(message));
}

/** A node Remove Duplicates has taken the workflow's record for values of another kind. */
export function isOfAnotherMode(error: unknown): boolean {
	return /incompatible setting/i.test(String((error as Error).message));
}
