/** The time that the work of a batch should take: after a crash, less than a second's worth of it is unknown. */
const BATCH_MS = 700;

/** The largest growth from one batch to the next: the first work says little about the work that follows. */
const MAX_GROWTH = 32;

/** The time by which a batch may exceed that. Together with the time between two checks, a batch takes about a second. */
const LATE_MS = 200;

/** Estimates how much work to put on record at a time. */
export class Batch {
	/** The amount of work in this batch that has started or was skipped. */
	progress = 0;
	/** The estimated size of the next batch. */
	size: number;
	private start = -Infinity;
	private lastSize = 0;

	/** @param minSize the amount of work that may start at the same time */
	constructor(readonly minSize: number) {
		this.size = minSize;
	}

	/** Whether the estimate must be wrong, e.g. because the work has become slow. */
	get isLate(): boolean {
		return performance.now() - this.start >= BATCH_MS + LATE_MS;
	}

	begin(size: number): void {
		this.start = performance.now();
		this.lastSize = size;
		this.progress = 0;
	}

	nextSize(): number {
		const perMs = this.progress / Math.max(performance.now() - this.start, 1);
		const wanted = Math.min(Math.round(perMs * BATCH_MS), this.lastSize * MAX_GROWTH);
		this.size = Math.max(wanted, this.minSize);
		return this.size;
	}
}
