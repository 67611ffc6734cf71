import { Mutex } from '../shared/mutex';
import { sleep } from './sleep';

/** The time for which a key is new: several times as long as n8n takes from reading its record to writing it back. */
const NEW_FOR_MS = 300;
/** The interval at which new keys are repeated: with each call, they would cost several times as much as the call. */
const REPEAT_NEW_MS = 100;
/** As long as a process on a busy machine may stand still. With two workers, 1,000 executions left 38 keys after 0.3 s, none after 3 s. */
const REPEATED_FOR_MS = 3000;
/** The interval at which all keys that can get lost are repeated. New ones are repeated with the calls. */
const REPEAT_MS = 1000;

/** The most removals to repeat: those of a list would take too long, and lists rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;
/** The time for which work that nobody waits for is collected, for all executions: a crash loses less than a second's worth. */
const COLLECT_MS = 700;

/** The longest wait for a database that is locked: a backup, for example, takes some seconds. */
export const MAX_BUSY_MS = 30_000;
/** The most keys in one look-up or background removal: for each that it removes, n8n searches its whole record, and does nothing else. */
export const MAX_KEYS_AT_ONCE = 500;

/** What a row needs of a `ProcessedData`: n8n's calls in the context of one execution, which it makes within the mutex. */
export interface N8nCalls {
	readonly isUnavailable: boolean;
	/** Returns those that n8n calls new. */
	addToN8n(keys: string[]): Promise<string[]>;
	removeFromN8n(keys: string[]): Promise<void>;
	/** Tells that work that nobody waits for was given up. */
	reportFailure(error: Error): void;
}

const rows = new Map<string, WeakRef<ProcessedDataRow>>();

/** Returns what this process remembers of the record of a node or, without `nodeId`, of a workflow, as long as somebody uses it. */
export function openRow(workflowId: string, nodeId?: string): ProcessedDataRow {
	const ofWorkflow = nodeId === undefined ? undefined : openRow(workflowId);
	const name = ofWorkflow ? `${workflowId}/${nodeId}` : workflowId;
	const row = rows.get(name)?.deref() ?? new ProcessedDataRow(ofWorkflow);
	rows.set(name, new WeakRef(row));
	return row;
}

/**
 * One of n8n's records as this process knows it, across executions. Times are in ms, by a clock that is never set back.
 *
 * Another process, e.g. a worker in queue mode, may have read the record before a key was added, and may then write it back without that
 * key, or with one that was removed. So new keys are repeated with the calls, ten times a second at most, and all keys of the last
 * seconds once a second, until any such process must have finished writing. Removals are repeated only for keys that nobody adds again.
 *
 * | a key that | is in the set | and counts as |
 * | --- | --- | --- |
 * | waits to be added | `toAdd` | there |
 * | was added a moment ago, and may be overwritten | `addedLately` | there |
 * | waits to be removed for good | `toRemove` | not there |
 * | was removed for good, and may be written back | `removedLately` | as n8n says |
 * | is one that others remove, e.g. of a fence | none | as n8n says |
 */
export class ProcessedDataRow {
	readonly toAdd = new Set<string>();
	readonly toRemove = new Set<string>();
	/** With the time of each key. */
	private readonly addedLately = new Map<string, number>();
	private readonly removedLately = new Map<string, number>();
	/** When the last call began that repeated all of the latest keys, and the last that repeated new ones. */
	private lastRepeat = -Infinity;
	private lastRepeatOfNew = -Infinity;
	/** Writes with the context of the latest execution, which must not stay in memory longer than there is work. */
	latestCalls?: N8nCalls;
	/** The time since which calls that nobody waits for have failed. */
	private failingSince?: number;
	/** The number of further keys that n8n keeps: those of the largest execution, so that it pushes out neither others nor its own. */
	room = 0;
	/** One for each workflow: n8n reads a record, changes it and writes it back, so two calls at the same time would lose a key. */
	readonly mutex: Mutex;

	/** @param ofWorkflow that of the node's workflow: it must stay in memory as long as this one, so that others get the same mutex */
	constructor(readonly ofWorkflow?: ProcessedDataRow) {
		this.mutex = ofWorkflow?.mutex ?? new Mutex();
	}

	/** What there is to do although nobody waits for it. */
	get work() {
		return [this.toAdd, this.addedLately, this.toRemove, this.removedLately];
	}

	dropWork(): void {
		for (const left of this.work) left.clear();
	}

	/** Does the work that nobody waits for, within a second, with the context of the latest execution. */
	startWriting(calls: N8nCalls): void {
		const isRunning = this.latestCalls !== undefined;
		this.latestCalls = calls;
		if (!isRunning) void this.writeInBackground();
	}

	private async writeInBackground(): Promise<void> {
		while (this.work.some(({ size }) => size > 0)) {
			await sleep(COLLECT_MS);
			await this.catchUp(this.latestCalls!);
		}
		this.latestCalls = undefined;
	}

	/** Does the work that nobody waits for, once. Never throws. */
	async catchUp(calls: N8nCalls): Promise<void> {
		try {
			const keys = [...this.toRemove];
			for (let i = 0; i < keys.length; i += MAX_KEYS_AT_ONCE)
				await this.removeForGood(calls, keys.slice(i, i + MAX_KEYS_AT_ONCE));
			// The last time: no other process can write them back any more.
			const isOver = (since: number) => performance.now() - since >= REPEATED_FOR_MS;
			if ([...this.removedLately.values()].some(isOver)) await this.removeForGood(calls, []);
			// Without another call, the latest keys are repeated here.
			const isRepeatDue = performance.now() - this.lastRepeat >= REPEAT_MS;
			if (this.toAdd.size > 0 || (this.addedLately.size > 0 && isRepeatDue))
				await this.flush(calls);
			this.failingSince = undefined;
		} catch (error) {
			this.failingSince ??= performance.now();
			if (performance.now() - this.failingSince < MAX_BUSY_MS) return;
			calls.reportFailure(error as Error);
			this.dropWork();
		}
	}

	/** Adds what waits, and repeats the latest keys. */
	async flush(calls: N8nCalls): Promise<void> {
		await this.mutex.runExclusive(async () => await this.addWithRepeats(calls, [], true));
	}

	/** Adds keys with what waits, and repeats the latest: all once a second, or if `repeatsAll`, otherwise new ones. @returns those not there */
	async addWithRepeats(calls: N8nCalls, keys: string[], repeatsAll = false) {
		const start = performance.now();
		const repeatsAllNow = repeatsAll || start - this.lastRepeat >= REPEAT_MS;
		const repeatsNew = start - this.lastRepeatOfNew >= REPEAT_NEW_MS;
		if (repeatsNew) this.lastRepeatOfNew = start;
		const isDue = (since: number) => repeatsAllNow || (repeatsNew && start - since < NEW_FOR_MS);
		const repeated = [...this.addedLately].flatMap(([key, since]) => (isDue(since) ? key : []));
		const all = new Set([...keys, ...this.toAdd, ...repeated]);
		const missing = await this.add(calls, [...all]);
		if (repeatsAllNow) this.lastRepeat = start;
		// Repeated for long enough: nobody overwrites it any more. `add` has renewed the time of one that was overwritten.
		for (const key of repeated)
			if (start - this.addedLately.get(key)! >= REPEATED_FOR_MS) this.addedLately.delete(key);
		// More may wait by now.
		const written = [...missing, ...this.toAdd].filter((key) => all.has(key));
		if (!calls.isUnavailable)
			for (const key of written) this.addedLately.set(key, performance.now());
		for (const key of all) this.toAdd.delete(key);
		this.startWriting(calls);
		return missing;
	}

	/** Adds keys, and returns those that neither n8n nor this process had. */
	async add(calls: N8nCalls, keys: string[]): Promise<Set<string>> {
		for (const key of keys) this.removedLately.delete(key);
		const added = await calls.addToN8n(keys);
		// This process added it a moment ago: another process has overwritten it, and this call has repaired that.
		const lost = added.filter((key) => this.addedLately.has(key));
		for (const key of lost) this.addedLately.set(key, performance.now());
		return new Set(added.filter((key) => !this.addedLately.has(key) && !this.toAdd.has(key)));
	}

	/** Forgets keys that are removed: they must not be added again. */
	stopAdding(keys: string[]): void {
		for (const key of keys) {
			this.toAdd.delete(key);
			this.addedLately.delete(key);
		}
	}

	/** Removes those of the keys that nobody has added again meanwhile, and once more those of the last seconds. */
	private async removeForGood(calls: N8nCalls, keys: string[]): Promise<void> {
		await this.mutex.runExclusive(async () => {
			const start = performance.now();
			const current = keys.filter((key) => this.toRemove.has(key));
			await calls.removeFromN8n([...this.removedLately.keys(), ...current]);
			for (const key of current) this.toRemove.delete(key);
			this.stopAdding(current);
			for (const [key, since] of this.removedLately)
				if (start - since >= REPEATED_FOR_MS) this.removedLately.delete(key);
			for (const key of current) this.removedLately.set(key, performance.now());
			const oldest = [...this.removedLately.keys()].slice(0, -MAX_REPEATED_REMOVALS);
			for (const key of oldest) this.removedLately.delete(key);
		});
	}
}
