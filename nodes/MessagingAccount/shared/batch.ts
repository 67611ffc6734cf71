/** How long the sends of a batch should take: less than a second's worth of sends is unknown after a crash. */
const BATCH_MS = 700;

/**
 * A write takes a few ms, about one percent of this. But n8n reads and writes all that is on record, which takes 0.25 s after
 * 70,000 sends. So the batches of very long lists take longer, in proportion, and writing takes about a tenth of the time.
 */
const LONG_LIST = 25_000;
const MAX_LENGTHENING = 4;

/** How many times as large as the one before a batch may be: the first sends say little about the next ones. */
const MAX_GROWTH = 32;

/** How much longer a batch may take. Together with the time until somebody asks, it is one second. */
const LATE_MS = 200;

/** Says how many sends to put on record at a time. */
export class Batch {
	/** How many sends have started since it began. */
	startedCount = 0;

	/** Estimated for the next one. */
	size: number;

	private start = 0;

	private lastSize = 0;

	private total = 0;

	/** @param minSize how many sends may be in progress at a time */
	constructor(private readonly minSize: number) {
		this.size = minSize;
	}

	/** Whether the estimate must be wrong, e.g. because the service has become slow. */
	get isLate(): boolean {
		return Date.now() - this.start >= this.ms + LATE_MS;
	}

	/** @param size how many sends are in it */
	begin(size: number): void {
		this.start = Date.now();
		this.lastSize = size;
		this.startedCount = 0;
		this.total += size;
	}

	nextSize(): number {
		const perMs = this.startedCount / Math.max(Date.now() - this.start, 1);
		const wanted = Math.min(Math.round(perMs * this.ms), this.lastSize * MAX_GROWTH);
		this.size = Math.max(wanted, this.minSize);
		return this.size;
	}

	private get ms(): number {
		return BATCH_MS * Math.min(Math.max(this.total / LONG_LIST, 1), MAX_LENGTHENING);
	}
}
