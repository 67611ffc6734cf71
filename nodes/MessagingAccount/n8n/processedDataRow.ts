/** Several times as long as n8n takes from reading its record to writing it back. */
export const SETTLE_MS = 300;

/** As long as a process on a busy machine may stand still. With two workers, 1,000 executions left 38 keys after 0.3 s, none after 3 s. */
export const REPEATED_FOR_MS = 3000;

/** One of n8n's records as this process knows it, across executions. Times are in ms since 1970. */
export class ProcessedDataRow {
	readonly toAdd = new Set<string>();
	readonly toRemove = new Set<string>();

	/** The latest keys, which another process can still overwrite, and when each was added. */
	readonly addedLately = new Map<string, number>();

	/** The latest keys that were removed for good, which another process can still write back, and when each was removed. */
	removedLately = new Map<string, number>();

	/** The start of the last call that repeated all of the latest keys. */
	lastRepeat = 0;

	/** The number of keys that were added since they were counted. */
	addedCount = Infinity;
	isFull = false;

	/** The worker for what nobody waits for. It has the context of the latest execution, which must not stay in memory longer. */
	user?: { catchUp(): Promise<void> };

	/** The time since which calls that nobody waits for have failed. */
	failingSince?: number;

	/** The number of further keys that n8n keeps: those of the largest execution, so that it pushes out neither others nor its own. */
	room = 0;

	get hasWork(): boolean {
		const { toAdd, addedLately, toRemove, removedLately } = this;
		return toAdd.size + addedLately.size + toRemove.size + removedLately.size > 0;
	}

	/** Forgets keys that are removed: they must not be added again. */
	stopAdding(keys: string[]): void {
		for (const key of keys) {
			this.toAdd.delete(key);
			this.addedLately.delete(key);
		}
	}

	/** Drops all work that nobody waits for. */
	giveUp(): void {
		for (const left of [this.toAdd, this.addedLately, this.toRemove, this.removedLately])
			left.clear();
	}
}
