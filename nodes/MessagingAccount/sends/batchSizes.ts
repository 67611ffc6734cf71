/** The time that the sends of a batch should take: after a crash, less than a second's worth of them is unknown. */
const BATCH_MS = 700;
/** The most IDs to reserve together: after a crash, another execution skips those whose turn has not come. */
export const MAX_RESERVED = 5;
/** The number of IDs to look up together while all are used up: a list that is executed again may begin with thousands of them. */
export const MAX_LOOKED_UP = 500;

/** How many sends of a run are dealt with at a time, by the pace of the last ones. */
export class BatchSizes {
	/** The number of sends that were put on record. */
	soFar = 0;
	private last = { size: 0, start: -Infinity };
	/** Whether all IDs of the last look-up were used up. */
	areIdsUsed = false;

	/**
	 * The number of sends to put on record. It grows from one on: the first ones say little, nor do those that start at the same time.
	 * @example at ten sends a second: 1, 1, 2, 4, 7, 7, …
	 */
	get toRecord(): number {
		const { size, start } = this.last;
		const perMs = size / Math.max(performance.now() - start, 1);
		return Math.max(1, Math.min(Math.round(perMs * BATCH_MS), this.soFar, 2 * size));
	}

	/** Call this when a batch is on record. @returns it; if it is late, set its size to 1: unless another has begun, the next is one send */
	begin(size: number) {
		this.soFar += size;
		this.last = { size, start: performance.now() };
		return this.last;
	}
}
