/**
 * How long the sends of a batch should take: less than a second's worth of sends is unknown after a crash. A write takes a few
 * ms, about one percent of this.
 */
const BATCH_MS = 700;

/** How many times as large as the one before a batch may be: the first sends say little about the next ones. */
const MAX_GROWTH = 32;

/** Together with the time until somebody asks, one second. */
const LATE_MS = 900;

/** Says how many sends to put on record at a time. */
export class Batch {
	/** How many sends have started since it began. */
	startedCount = 0;

	/** Estimated for the next one. */
	size: number;

	private start = 0;

	private lastSize = 0;

	/** @param minSize how many sends may be in progress at a time */
	constructor(private readonly minSize: number) {
		this.size = minSize;
	}

	/** Whether the estimate must be wrong, e.g. because the service has become slow. */
	get isLate(): boolean {
		return Date.now() - this.start >= LATE_MS;
	}

	/** @param size how many sends are in it */
	begin(size: number): void {
		this.start = Date.now();
		this.lastSize = size;
		this.startedCount = 0;
	}

	nextSize(): number {
		const perMs = this.startedCount / Math.max(Date.now() - this.start, 1);
		const wanted = Math.min(Math.round(perMs * BATCH_MS), this.lastSize * MAX_GROWTH);
		this.size = Math.max(wanted, this.minSize);
		return this.size;
	}
}
