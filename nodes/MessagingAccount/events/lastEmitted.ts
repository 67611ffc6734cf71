/** The longest that n8n takes to save a state. A trigger that polls as usual does so a minute later. */
const MAX_SAVING_MS = 2000;

/** By key of the trigger: the last poll of this process that emitted something, or that n8n has kept in its place. */
const lastPolls = new Map<string, { polledAt: string; emittedAt: number }>();

/** Tells whether n8n still has the state of the last poll that emitted something. Times of polls are in ISO 8601, empty before the first. */
export class LastEmitted {
	private readonly begunAt = performance.now();

	constructor(private readonly key: string) {}

	/** Notes a poll that stores its state. */
	note(polledAt: string, isEmitted: boolean): void {
		const last = lastPolls.get(this.key);
		if (isEmitted) lastPolls.set(this.key, { polledAt, emittedAt: performance.now() });
		// If a clock is set back, what continues that poll seems earlier.
		else if (last && polledAt < last.polledAt) lastPolls.set(this.key, { ...last, polledAt });
	}

	/** Whether n8n had perhaps not saved it yet when this poll began. @param storedAt the time of the state that n8n gives this one */
	isBeingSaved(storedAt: string): boolean {
		return this.begunAt - (this.findUnsaved(storedAt)?.emittedAt ?? -Infinity) < MAX_SAVING_MS;
	}

	/** Returns its time, if n8n has lost its state; of each loss only once. */
	takeLoss(storedAt: string): string | undefined {
		const later = this.findUnsaved(storedAt);
		// It may lose what it has kept, too.
		if (later) lastPolls.set(this.key, { polledAt: storedAt, emittedAt: -Infinity });
		return later?.polledAt;
	}

	private findUnsaved(storedAt: string) {
		const last = lastPolls.get(this.key);
		return last && storedAt < last.polledAt ? last : undefined;
	}
}
