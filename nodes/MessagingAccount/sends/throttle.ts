import { NotStartedError } from '../errors/errorClasses';
import type { ThrottleOptions } from '../parameters/sendOptions';
import { Mutex } from '../shared/mutex';
import { sleepUnlessAborted } from '../shared/sleep';

type PaceOptions = Pick<ThrottleOptions, 'delay' | 'randomExtraDelay'>;

/** Of one run of the node, or of all runs of this process that send through one account. */
class Pace {
	readonly mutex = new Mutex();

	lastStart = 0;

	/** Of whoever started last. */
	options?: PaceOptions;

	/** ms until the next start. */
	delay = 0;

	/** How many tasks wait or start. */
	taskCount = 0;

	/** ms; no wait may exceed the delay, even if the clock is set back. */
	getWait(delay: number): number {
		return Math.min(delay - (Date.now() - this.lastStart), delay);
	}
}

export const pacesByAccount = new Map<string, Pace>();

/** @param accountKey as `createAccountKey` returns it */
function findPace(accountKey: string): Pace {
	for (const [key, { taskCount, delay, lastStart }] of pacesByAccount) {
		if (taskCount === 0 && Date.now() - lastStart >= delay) pacesByAccount.delete(key);
	}
	const pace = pacesByAccount.get(accountKey) ?? new Pace();
	pacesByAccount.set(accountKey, pace);
	return pace;
}

/** Starts tasks one at a time, in the order in which they come, with a delay between their starts. */
export class Throttle {
	private readonly ownPace = new Pace();

	private readonly aborted: Promise<unknown>;

	/**
	 * @param signal once aborted, nothing starts
	 * @param getAccountKey of the account whose pace all runs share; undefined if each run has its own
	 * @param random from 0 to 1
	 */
	constructor(
		private readonly options: PaceOptions,
		private readonly signal: AbortSignal,
		private readonly getAccountKey?: () => Promise<string>,
		private readonly random = Math.random,
	) {
		this.aborted = new Promise<unknown>((resolve) => {
			if (signal.aborted) resolve(undefined);
			signal.addEventListener('abort', resolve);
		});
	}

	/**
	 * Waits for its turn, then starts.
	 *
	 * @param start returns undefined if nothing was started; the next task then does not wait
	 * @returns what `start` returns
	 * @throws NotStartedError, and what `getAccountKey` throws
	 */
	async run<T>(start: () => Promise<T | undefined>): Promise<T | undefined> {
		const { options } = this;
		const pace = this.getAccountKey ? findPace(await this.getAccountKey()) : this.ownPace;
		let isStarting = false;
		const takeTurn = async () => {
			const waits = [pace.getWait(pace.delay)];
			// Whoever started last, and whoever starts next, may have asked for more time between two sends.
			if (pace.options && pace.options !== options) waits.push(pace.getWait(this.drawDelay()));
			if (!(await sleepUnlessAborted(Math.max(...waits), this.signal))) throw new NotStartedError();
			isStarting = true;
			const started = await start();
			if (started !== undefined) {
				Object.assign(pace, { lastStart: Date.now(), delay: this.drawDelay(), options });
			}
			return started;
		};
		pace.taskCount++;
		const turn = pace.mutex.runExclusive(takeTurn).finally(() => pace.taskCount--);
		if (!this.getAccountKey) return await turn;
		// Others may wait for their turn for an hour.
		const stop = this.aborted.then(async () => {
			if (isStarting) return await turn;
			throw new NotStartedError();
		});
		return await Promise.race([turn, stop]);
	}

	private drawDelay(): number {
		return this.options.delay + this.random() * this.options.randomExtraDelay;
	}
}
