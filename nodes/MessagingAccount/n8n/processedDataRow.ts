import { Mutex } from '../shared/mutex';
import { sleep } from './sleep';

/** As long as a process on a busy machine may stand still. With two workers, 1,000 executions left 38 keys after 0.3 s, none after 3 s. */
const REPEATED_FOR_MS = 3000;
/** The interval at which all keys that can get lost are repeated. New ones are repeated with the calls. */
const REPEAT_MS = 1000;
/** The time for which a key is new: several times as long as n8n takes from reading its record to writing it back. */
const NEW_FOR_MS = 300;
/** The interval at which new keys are repeated: with each call, they would cost several times as much as the call. */
const REPEAT_NEW_MS = 100;

/** The most removals to repeat: those of a list would take too long, and lists rarely end at the same time. */
const MAX_REPEATED_REMOVALS = 100;
/** The time for which work that nobody waits for is collected, for all executions: a crash loses less than a second's worth. */
const COLLECT_MS = 700;

const rows = new Map<string, WeakRef<ProcessedDataRow>>();

/** Returns what this process remembers of the record of a node or, without `nodeId`, of a workflow, as long as somebody uses it. */
export function openRow(workflowId: string, nodeId?: string): ProcessedDataRow {
	const ofWorkflow = nodeId === undefined ? undefined : openRow(workflowId);
	const name = ofWorkflow ? `${workflowId}/${nodeId}` : workflowId;
	const row = rows.get(name)?.deref() ?? new ProcessedDataRow(ofWorkflow);
	rows.set(name, new WeakRef(row));
	return row;
}

/** One of n8n's records as this process knows it, across executions. Times are in ms, by a clock that is never set back. */
export class ProcessedDataRow {
	readonly toAdd = new Set<string>();
	readonly toRemove = new Set<string>();
	/** The latest keys, which another process can still overwrite, and when each was added. */
	readonly addedLately = new Map<string, number>();
	/** The latest keys that were removed for good, which another process can still write back, and when each was removed. */
	readonly removedLately = new Map<string, number>();
	/** The start of the last call that repeated all of the latest keys. */
	lastRepeat = -Infinity;
	/** The start of the last call that repeated the new ones. */
	lastRepeatOfNew = -Infinity;
	/** Writes with the context of the latest execution, which must not stay in memory longer than there is work. */
	target?: { catchUp(): Promise<void> };
	/** The time since which calls that nobody waits for have failed. */
	failingSince?: number;
	/** The number of further keys that n8n keeps: those of the largest execution, so that it pushes out neither others nor its own. */
	room = 0;
	private readonly ownMutex = new Mutex();

	/** @param ofWorkflow that of the node's workflow */
	constructor(private readonly ofWorkflow?: ProcessedDataRow) {}

	/** One for each workflow: n8n reads a record, changes it and writes it back, so two calls at the same time would lose a key. */
	get mutex(): Mutex {
		return this.ofWorkflow?.mutex ?? this.ownMutex;
	}

	/** The work that nobody waits for. */
	get work() {
		return [this.toAdd, this.addedLately, this.toRemove, this.removedLately];
	}

	/** Whether the latest keys must be repeated without another call. */
	get isRepeatDue(): boolean {
		return this.addedLately.size > 0 && performance.now() - this.lastRepeat >= REPEAT_MS;
	}

	/** Whether keys must be removed for the last time: no other process can write them back any more. */
	get isLastRemovalDue(): boolean {
		const now = performance.now();
		return [...this.removedLately.values()].some((since) => now - since >= REPEATED_FOR_MS);
	}

	/** Does the work that nobody waits for, within a second, with the context of the latest execution. */
	startWriting(target: NonNullable<typeof this.target>): void {
		const isRunning = this.target !== undefined;
		this.target = target;
		if (!isRunning) void this.writeInBackground();
	}

	private async writeInBackground(): Promise<void> {
		while (this.work.some(({ size }) => size > 0)) {
			await sleep(COLLECT_MS);
			await this.target!.catchUp();
		}
		this.target = undefined;
	}

	dropWork(): void {
		for (const left of this.work) left.clear();
	}

	/** Chooses the keys to repeat with a call: all of the latest ones once a second, or if it repeats all; otherwise new ones. */
	chooseRepeats(repeatsAll: boolean) {
		const start = performance.now();
		const areAll = repeatsAll || start - this.lastRepeat >= REPEAT_MS;
		const areNew = start - this.lastRepeatOfNew >= REPEAT_NEW_MS;
		if (areNew) this.lastRepeatOfNew = start;
		const isDue = (since: number) => areAll || (areNew && start - since < NEW_FOR_MS);
		const keys = [...this.addedLately].flatMap(([key, since]) => (isDue(since) ? key : []));
		return { start, areAll, keys };
	}

	/** Notes that keys were repeated. One that was lost has a new time. */
	noteRepeated({ start, areAll, keys }: ReturnType<ProcessedDataRow['chooseRepeats']>): void {
		if (areAll) this.lastRepeat = start;
		for (const key of keys)
			if (start - this.addedLately.get(key)! >= REPEATED_FOR_MS) this.addedLately.delete(key);
	}

	/** Notes that keys were removed for good, and those of the last seconds once more. @param start of the call */
	noteRemoved(keys: string[], start: number): void {
		for (const key of keys) this.toRemove.delete(key);
		this.stopAdding(keys);
		for (const [key, since] of this.removedLately)
			if (start - since >= REPEATED_FOR_MS) this.removedLately.delete(key);
		for (const key of keys) this.removedLately.set(key, performance.now());
		const oldest = [...this.removedLately.keys()].slice(0, -MAX_REPEATED_REMOVALS);
		for (const key of oldest) this.removedLately.delete(key);
	}

	/** Forgets keys that are removed: they must not be added again. */
	stopAdding(keys: string[]): void {
		for (const key of keys) {
			this.toAdd.delete(key);
			this.addedLately.delete(key);
		}
	}
}
