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
	 * @param start returns false if nothing was started; the next task then does not wait
	 * @returns what `start` returns
	 * @throws NotStartedError
	 */
	async run(start: () => Promise<boolean>): Promise<boolean> {
		return await this.mutex.runExclusive(async () => {
			const elapsed = Date.now() - this.lastStart;
			// No wait may exceed the delay, even if the clock is set back.
			const wait = Math.min(this.delay - elapsed, this.delay);
			if (!(await sleepUnlessAborted(wait, this.signal))) throw new NotStartedError();
			const isStarted = await start();
			if (isStarted) this.lastStart = Date.now();
			return isStarted;
		});
	}
}
