import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { DatabaseError } from '../errors/errorClasses';
import { Mutex } from '../shared/mutex';
import { sleep, sleepUnlessAborted } from '../shared/sleep';
import { getCancelSignal } from '../transport/request';

/** Several times as long as n8n takes from reading its record to writing it back. On a busy machine, by how long a call takes. */
const SETTLE_MS = 300;
const SETTLE_FACTOR = 10;

/** For how long a slow call counts. */
const SLOW_MS = 10_000;

/**
 * What nobody waits for is repeated for so long: a process on a machine that is too busy can stand still between reading and
 * writing. With two workers, 1,000 executions left 38 keys after 300 ms, and none after 3 s.
 */
const MAX_SETTLE_MS = 3000;

/** Longer than it takes until other processes repeat their keys by themselves. */
const REPEATED_AFTER_MS = 2000;

/** How long what nobody waits for is collected: executions that end meanwhile share its calls. Less than a second's worth is lost in a crash. */
const UPKEEP_MS = 700;

/** How often all keys are repeated that can get lost; the latest ones, with each call. */
const REPEAT_MS = 1000;

/** n8n searches its whole record for each of them. Lists are too long to repeat, and rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;

/** n8n searches its whole record for each key that it removes, and does nothing else meanwhile. */
const MAX_REMOVALS_AT_ONCE = 500;

/** A further round of waiting is only needed if another process removed a key in the round before. */
const MAX_ROUNDS = 10;

/** How many more keys make it worth the question how many there are. */
const KEYS_BETWEEN_COUNTS = 300;

/** A backup, for example, locks a database for some seconds. */
const MAX_BUSY_MS = 30_000;
const BUSY_RETRY_MS = 200;

/**
 * How SQLite and PostgreSQL say that another one holds a lock, or that a row exists already, because two processes have created
 * it at once for the first key. The call that was refused has stored nothing.
 */
const BUSY = /SQLITE_BUSY|lock timeout|deadlock detected|could not serialize|unique constraint/i;

/** What this process knows of one of n8n's records, across executions. */
class Row {
	/** n8n reads the record, changes it and writes it back, so two calls at once would lose a key. */
	readonly mutex = new Mutex();

	/** When each of the latest keys was added, in ms since 1970, while it can still get lost; 0 if it is still to be added. */
	readonly unsettled = new Map<string, number>();

	/** Keys to remove. */
	readonly removals = new Set<string>();

	/** By holder: how many more keys n8n keeps; undefined if the holder is no longer in memory. */
	readonly room = new Map<unknown, () => number | undefined>();

	/** Those whose room is released when the keys are removed, with what tells each removal from the next. */
	readonly releases = new Map<unknown, object>();

	/** When keys were removed for good, while another process can still write them back. */
	unsettledRemovals = new Map<string, number>();

	/** For how long another process may still write what it read before. */
	settleMs = SETTLE_MS;

	/** Until when it does not get shorter, in ms since 1970. */
	slowUntil = 0;

	/** When the last call that repeated all unsettled keys began, in ms since 1970. */
	lastRepeat = 0;

	/** Whether a key was lost, so other processes use the record, too. */
	isShared = false;

	/** How many keys were added since they were counted. */
	addedCount = Infinity;

	isFull = false;

	/** Of the latest execution that uses the record. Its context must not stay in memory when nothing is left to do. */
	user?: ProcessedData;

	/** Since when calls that nobody waits for have failed, in ms since 1970. */
	failingSince?: number;
}

const rows = new Map<string, Row>();

/**
 * Keys in n8n's record of processed data, which n8n keeps across executions, in its database: a key is there as soon as `add`
 * returns.
 *
 * Another process, e.g. a worker in queue mode, may have read the record before a key was added, and may then write it back
 * without that key, or with one that was removed. So the latest keys are repeated with each call, and all of the last seconds
 * once a second, until any such process must have finished writing. Removals are repeated only of keys that nobody adds again.
 *
 * This must always be true: a key that `add` has returned stays until it is removed, and counts as there if another process has
 * overwritten it. What nobody waits for is done within a few seconds, in one call for all executions, or not at all if n8n stops
 * before. Until then, it counts as done.
 */
export class ProcessedData {
	private readonly row: Row;

	/**
	 * @param scope n8n keeps a record for each node, and another one for each workflow
	 * @param maxKeys how many keys n8n keeps, dropping the oldest. n8n reads and writes all of them for every call. A call took
	 * 8 ms with 30,000 keys and 30 ms with 75,000.
	 * @param advice for the person who reads that n8n's database cannot be used
	 * @param consequence if this happens to calls that nobody waits for
	 */
	constructor(
		private readonly context: IExecuteFunctions,
		readonly scope: DeduplicationScope,
		private readonly maxKeys: number,
		private readonly advice: string,
		private readonly consequence: string,
	) {
		const name = context.getWorkflow().id + (scope === 'node' ? `/${context.getNode().id}` : '');
		this.row = rows.get(name) ?? new Row();
		rows.set(name, this.row);
	}

	/** Adds keys, and returns those that were not there. @throws DatabaseError, as every method that returns a promise */
	async add(keys: string[]): Promise<Set<string>> {
		const { row } = this;
		return await row.mutex.runExclusive(async () => {
			const start = Date.now();
			// Whoever adds none wants the others repeated.
			const isRepeat = keys.length === 0 || start - row.lastRepeat >= REPEAT_MS;
			const all = new Set(keys);
			for (const [key, since] of row.unsettled) {
				if (isRepeat || since === 0 || start - since < SETTLE_MS) all.add(key);
			}
			const added = await this.record([...all]);
			if (isRepeat) row.lastRepeat = start;
			for (const [key, since] of row.unsettled) {
				if (all.has(key) && start - since >= MAX_SETTLE_MS) row.unsettled.delete(key);
			}
			for (const key of added) row.unsettled.set(key, Date.now());
			row.addedCount += added.size;
			this.startUpkeep();
			return new Set(keys.filter((key) => row.removals.delete(key) || added.has(key)));
		});
	}

	/** Adds keys with the next call, or by itself. */
	addSoon(keys: string[]): void {
		for (const key of keys) this.row.unsettled.set(key, 0);
		this.startUpkeep();
	}

	async remove(keys: string[]): Promise<void> {
		if (keys.length === 0) return;
		await this.row.mutex.runExclusive(async () => {
			for (const key of keys) this.row.unsettled.delete(key);
			await this.erase(keys);
		});
	}

	/** Returns those keys that are there. n8n has no call that only reads, so the others are added and removed again. */
	async find(keys: string[]): Promise<Set<string>> {
		return await this.row.mutex.runExclusive(async () => {
			const added = await this.record(keys);
			await this.erase([...added]);
			return new Set(keys.filter((key) => !added.has(key) && !this.row.removals.has(key)));
		});
	}

	/**
	 * Removes keys, and again if another process writes them back.
	 *
	 * @param keys that nobody adds again, e.g. those of an execution that has ended
	 * @param holder releases its room when they are removed
	 */
	removeSoon(keys: string[], holder: unknown): void {
		for (const key of keys) this.row.removals.add(key);
		this.row.releases.set(holder, {});
		this.startUpkeep();
	}

	/** Makes n8n keep so many more keys, until the count is undefined: the holder's own must not push out others, nor be dropped. */
	keepRoom(holder: unknown, count: () => number | undefined): void {
		this.row.releases.delete(holder);
		this.row.room.set(holder, count);
	}

	hasRoom(holder: unknown): boolean {
		return this.row.room.has(holder);
	}

	releaseRoom(holder: unknown): void {
		this.row.releases.delete(holder);
		this.row.room.delete(holder);
	}

	/**
	 * Waits until none of these keys can get lost any more. Where one process uses the record, none can, and this takes no time.
	 * Whoever runs in one of several knows it as soon as a key was lost.
	 */
	async settle(keys: string[]): Promise<void> {
		const { row } = this;
		const canGetLost = (key: string) =>
			row.lastRepeat - (row.unsettled.get(key) ?? -Infinity) < row.settleMs;
		const isSettled = () => !row.isShared || !keys.some(canGetLost);
		for (let round = 0; round < MAX_ROUNDS && !isSettled(); round++) {
			// A timer can be a millisecond early.
			await sleep(row.settleMs + 1);
			await this.add([]);
		}
	}

	/** Whether n8n may have dropped the oldest keys. */
	async isFull(): Promise<boolean> {
		const { row } = this;
		if (row.addedCount >= KEYS_BETWEEN_COUNTS) {
			row.addedCount = 0;
			const count = await this.whileBusy(
				async (options) => await this.context.helpers.getProcessedDataCount(this.scope, options),
			);
			row.isFull = count >= this.getLimit();
		}
		return row.isFull;
	}

	private startUpkeep(): void {
		const { row } = this;
		const isRunning = row.user !== undefined;
		row.user = this;
		if (!isRunning) void keepUp(row);
	}

	/** Does what nobody waits for, once. */
	async catchUp(): Promise<void> {
		const { row } = this;
		const releases = [...row.releases];
		try {
			const keys = [...row.removals];
			for (let i = 0; i < keys.length; i += MAX_REMOVALS_AT_ONCE) {
				await this.removeForGood(keys.slice(i, i + MAX_REMOVALS_AT_ONCE));
			}
			const now = Date.now();
			const removals = [...row.unsettledRemovals.values()];
			if (removals.some((since) => now - since >= MAX_SETTLE_MS)) await this.removeForGood([]);
			const isDue = row.unsettled.size > 0 && now - row.lastRepeat >= REPEAT_MS;
			if (isDue || [...row.unsettled.values()].includes(0)) await this.add([]);
			row.failingSince = undefined;
		} catch (error) {
			row.failingSince ??= Date.now();
			if (Date.now() - row.failingSince < MAX_BUSY_MS) return;
			this.context.logger.warn(`${(error as Error).message}. ${this.consequence}`);
			for (const left of [row.removals, row.unsettled, row.unsettledRemovals]) left.clear();
		}
		for (const [holder, removal] of releases) {
			if (row.releases.get(holder) === removal) this.releaseRoom(holder);
		}
	}

	private async removeForGood(keys: string[]): Promise<void> {
		const { row } = this;
		await row.mutex.runExclusive(async () => {
			const start = Date.now();
			const earlier = [...row.unsettledRemovals];
			// Not those that were added again meanwhile.
			const current = keys.filter((key) => row.removals.has(key));
			await this.erase([...earlier.map(([key]) => key), ...current]);
			for (const key of current) {
				row.removals.delete(key);
				row.unsettled.delete(key);
			}
			const latest = [
				...earlier.filter(([, since]) => start - since < MAX_SETTLE_MS),
				...current.map((key): [string, number] => [key, Date.now()]),
			];
			row.unsettledRemovals = new Map(latest.slice(-MAX_REPEATED_REMOVALS));
		});
	}

	/** Also releases the room of those that are no longer in memory. */
	private getLimit(): number {
		let limit = this.maxKeys;
		for (const [holder, getCount] of this.row.room) {
			const count = getCount();
			if (count === undefined) this.releaseRoom(holder);
			else limit += count;
		}
		return limit;
	}

	/** @returns those that were not there; one that another process has overwritten counts as there */
	private async record(keys: string[]): Promise<Set<string>> {
		const { row } = this;
		for (const key of keys) row.unsettledRemovals.delete(key);
		const { new: added } = await this.write(
			async (options) =>
				await this.context.helpers.checkProcessedAndRecord(keys, this.scope, options),
		);
		const isNew = (key: string) => {
			const since = row.unsettled.get(key);
			if (since === undefined) return true;
			if (since > 0) row.isShared = true;
			row.unsettled.set(key, Date.now());
			return false;
		};
		return new Set((added as string[]).filter(isNew));
	}

	private async erase(keys: string[]): Promise<void> {
		await this.write(
			async (options) => await this.context.helpers.removeProcessed(keys, this.scope, options),
		);
	}

	/** Other processes do not wait for one that stands still: it may overwrite their keys, and must not miss them then. */
	private async write<T>(call: (options: ICheckProcessedOptions) => Promise<T>): Promise<T> {
		const { row } = this;
		const start = Date.now();
		const result = await this.whileBusy(call);
		const now = Date.now();
		const isLate = row.isShared && now - start > row.settleMs;
		const settleMs = Math.min(Math.max(SETTLE_FACTOR * (now - start), SETTLE_MS), MAX_SETTLE_MS);
		if (settleMs >= row.settleMs || now >= row.slowUntil) {
			row.settleMs = settleMs;
			row.slowUntil = now + SLOW_MS;
		}
		if (isLate) await sleep(REPEATED_AFTER_MS);
		return result;
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

async function keepUp(row: Row): Promise<void> {
	while (row.removals.size + row.unsettled.size + row.unsettledRemovals.size > 0) {
		await sleep(UPKEEP_MS);
		await row.user!.catchUp();
	}
	row.user = undefined;
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
