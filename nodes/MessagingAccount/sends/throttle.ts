import { NotStartedError } from '../errors/notStartedError';
import { Mutex } from '../shared/mutex';
import { sleepUnlessAborted } from '../shared/sleep';

/** Starts tasks one at a time, with a delay between their starts. */
export class Throttle {
	private readonly mutex = new Mutex();

	private lastStart = 0;

	/**
	 * @param delay ms between two starts
	 * @param signal once aborted, nothing starts
	 */
	constructor(
		private readonly delay: number,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Waits for its turn, then starts.
	 *
	 * @param start returns false if it turns out that there is nothing to start: the next task then need not wait
	 * @returns what `start` returns
	 * @throws NotStartedError
	 */
	async run(start: () => Promise<boolean>): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			const elapsed = Date.now() - this.lastStart;
			// If the clock is set back, nobody must wait for longer than the delay.
			const wait = Math.min(this.delay - elapsed, this.delay);
			if (!(await sleepUnlessAborted(wait, this.signal))) throw new NotStartedError();
			const isStarted = await start();
			if (isStarted) this.lastStart = Date.now();
			return isStarted;
		});
	}
}
