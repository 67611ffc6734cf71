/** Several times as long as n8n takes from reading its record to writing it back. */
export const SETTLE_MS = 300;

/** As long as a process on a busy machine may stand still. With two workers, 1,000 executions left 38 keys after 0.3 s, none after 3 s. */
export const REPEATED_FOR_MS = 3000;

/** What this process knows of one of n8n's records, across executions. Times are in ms since 1970. */
export class ProcessedDataRow {
	readonly toAdd = new Set<string>();
	readonly toRemove = new Set<string>();

	/** When each of the latest keys was added, while another process can still overwrite it. */
	readonly addedLately = new Map<string, number>();

	/** When each of the latest keys was removed for good, while another process can still write it back. */
	removedLately = new Map<string, number>();

	/** When the last call that repeated all of the latest keys began. */
	lastRepeat = 0;

	/** How many keys were added since they were counted. */
	addedCount = Infinity;
	isFull = false;

	/** Does the work that nobody waits for, with the context of the latest execution, which must not stay in memory longer. */
	user?: { catchUp(): Promise<void> };

	/** Since when calls that nobody waits for have failed. */
	failingSince?: number;

	/** How many more keys n8n keeps: as many as the largest execution has, so that it does not push out others, nor its own. */
	room = 0;

	get hasWork(): boolean {
		const { toAdd, addedLately, toRemove, removedLately } = this;
		return toAdd.size + addedLately.size + toRemove.size + removedLately.size > 0;
	}

	/** Keys that are removed must not be added again. */
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
