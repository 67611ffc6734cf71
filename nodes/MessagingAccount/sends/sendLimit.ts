/**
 * "Max Sends per Execution". This must always be true: the sends of this execution that were made or may have been, and those in progress,
 * are never more than the limit.
 */
export class SendLimit {
	private inProgress = 0;
	private readonly waiting: Array<() => void> = [];

	/** @param made the number of sends that this execution has made or may have made; undefined until it is known */
	constructor(
		private readonly max: number,
		private readonly runs: { made?: number },
	) {}

	/** The number of sends that may begin. */
	get left(): number {
		return this.max - (this.runs.made ?? 0) - this.inProgress;
	}

	/** Takes one of the sends. While others are in progress, it waits: they may turn out not to be made. @returns false if none is left */
	async take(): Promise<boolean> {
		while (this.left <= 0 && this.inProgress > 0)
			await new Promise<void>((resolve) => this.waiting.push(resolve));
		if (this.left <= 0) return false;
		this.inProgress++;
		return true;
	}

	/** Call this when the send has ended. @param isMade whether it was made, or may have been */
	end(isMade: boolean): void {
		this.inProgress--;
		if (isMade) this.runs.made = (this.runs.made ?? 0) + 1;
		for (const go of this.waiting.splice(0)) go();
	}
}
