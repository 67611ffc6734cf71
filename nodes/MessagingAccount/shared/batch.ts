/** How long the work of a batch should take: less than a second's worth is unknown after a crash. */
const BATCH_MS = 700;

/** How many times as large as the one before a batch may be: the first work says little about the next. */
const MAX_GROWTH = 32;

/** How much longer a batch may take. With the time between two checks, it is one second. */
const LATE_MS = 200;

/** Says how much work to put on record at a time. */
export class Batch {
	/** How much of it has started, or was skipped. */
	progress = 0;

	/** Estimated for the next one. */
	size: number;
	private start = 0;
	private lastSize = 0;

	/** @param minSize how much may start at a time */
	constructor(readonly minSize: number) {
		this.size = minSize;
	}

	/** Whether the estimate must be wrong, e.g. because the work has become slow. */
	get isLate(): boolean {
		return Date.now() - this.start >= BATCH_MS + LATE_MS;
	}

	begin(size: number): void {
		this.start = Date.now();
		this.lastSize = size;
		this.progress = 0;
	}

	nextSize(): number {
		const perMs = this.progress / Math.max(Date.now() - this.start, 1);
		const wanted = Math.min(Math.round(perMs * BATCH_MS), this.lastSize * MAX_GROWTH);
		this.size = Math.max(wanted, this.minSize);
		return this.size;
	}
}
