import { NotStartedError } from '../errors/errorClasses';
import type { ThrottleOptions } from '../parameters/sendOptions';
import { Mutex } from '../shared/mutex';
import { sleepUnlessAborted } from '../shared/sleep';

/** Starts tasks one at a time, with a delay between their starts. */
export class Throttle {
	private readonly mutex = new Mutex();

	private lastStart = 0;

	/** ms until the next start. */
	private delay = 0;

	/**
	 * @param signal once aborted, nothing starts
	 * @param random from 0 to 1
	 */
	constructor(
		private readonly pace: Omit<ThrottleOptions, 'concurrency'>,
		private readonly signal: AbortSignal,
		private readonly random = Math.random,
	) {}

	/**
	 * Waits for its turn, then starts.
	 *
	 * @param start returns undefined if nothing was started; the next task then does not wait
	 * @returns what `start` returns
	 * @throws NotStartedError
	 */
	async run<T>(start: () => Promise<T | undefined>): Promise<T | undefined> {
		return await this.mutex.runExclusive(async () => {
			const elapsed = Date.now() - this.lastStart;
			// No wait may exceed the delay, even if the clock is set back.
			const wait = Math.min(this.delay - elapsed, this.delay);
			if (!(await sleepUnlessAborted(wait, this.signal))) throw new NotStartedError();
			const started = await start();
			if (started !== undefined) {
				this.lastStart = Date.now();
				this.delay = this.pace.delay + this.random() * this.pace.randomExtraDelay;
			}
			return started;
		});
	}
}
