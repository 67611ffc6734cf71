import { NotStartedError } from '../errors/errorClasses';
import type { ThrottleOptions } from '../parameters/sendOptions';
import { Mutex } from '../shared/mutex';
import { sleepUnlessAborted } from '../shared/sleep';

/** The pace of one run of the node, or of all runs of this process that send through one account. */
class Pace {
	readonly mutex = new Mutex();

	lastStart = 0;

	/** The ms from the last start to the next. */
	delay = 0;

	/** The number of tasks that wait or start. */
	taskCount = 0;
}

export const pacesByAccount = new Map<string, Pace>();

/** Returns the pace of an account, and forgets those that no longer matter. @param accountKey from `createAccountKey` */
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

	/**
	 * @param signal once aborted, nothing starts
	 * @param getAccountKey of the account whose pace all runs share; undefined if each run has its own
	 * @param random from 0 to 1
	 */
	constructor(
		private readonly options: Pick<ThrottleOptions, 'delay' | 'randomExtraDelay'>,
		private readonly signal: AbortSignal,
		private readonly getAccountKey?: () => Promise<string>,
		private readonly random = Math.random,
	) {}

	/**
	 * Waits for the turn of a task, then starts it.
	 *
	 * @param start returns undefined if nothing was started; the next task then does not wait
	 * @throws NotStartedError, and what `getAccountKey` or `start` throws
	 */
	async run<T>(start: () => Promise<T | undefined>): Promise<T | undefined> {
		const { getAccountKey, options, random, signal } = this;
		const pace = getAccountKey ? findPace(await getAccountKey()) : this.ownPace;
		let isStarting = false;
		const takeTurn = async () => {
			const elapsed = Date.now() - pace.lastStart;
			// No wait may exceed the delay, even if the clock is set back.
			await sleepUnlessAborted(Math.min(pace.delay - elapsed, pace.delay), signal);
			if (signal.aborted) throw new NotStartedError();
			isStarting = true;
			const started = await start();
			if (started !== undefined) {
				pace.lastStart = Date.now();
				pace.delay = options.delay + random() * options.randomExtraDelay;
			}
			return started;
		};
		pace.taskCount++;
		const turn = pace.mutex.runExclusive(takeTurn).finally(() => pace.taskCount--);
		if (!getAccountKey) return await turn;
		// The turn may come only in an hour, after those of others.
		return await new Promise((resolve, reject) => {
			const stop = () => {
				if (!isStarting) reject(new NotStartedError());
			};
			if (signal.aborted) stop();
			signal.addEventListener('abort', stop);
			const end = () => signal.removeEventListener('abort', stop);
			turn.then(resolve, reject).finally(end);
		});
	}
}
