import { NotStartedError } from '../errors/errorClasses';
import { sleepUnlessAborted } from '../n8n/sleep';
import { Mutex } from '../shared/mutex';

/** Creates the pace of one run of the node, or of all runs that send through one account: `delay` ms from the last start to the next. */
const createPace = () => ({ mutex: new Mutex(), lastStart: 0, delay: 0 });

/** The paces that runs of this process share, by account. They stay: there are few accounts, and each takes some hundred bytes. */
export const pacesByAccount = new Map<string, ReturnType<typeof createPace>>();

/** Starts tasks one at a time, in the order in which they come, with a delay between their starts. */
export class Throttle {
	private readonly ownPace = createPace();

	/** @param signal once aborted, nothing starts @param getAccountKey for a pace that all runs share; undefined if each has its own */
	constructor(
		private readonly options: { delay: number; randomExtraDelay: number },
		private readonly signal: AbortSignal,
		private readonly getAccountKey?: () => Promise<string>,
	) {}

	/**
	 * Waits for the turn of a task, then starts it. @throws NotStartedError, and what `getAccountKey` or `start` throws
	 * @param start returns undefined if nothing was started; the next task then does not wait
	 */
	async run<T>(start: () => Promise<T | undefined>): Promise<T | undefined> {
		const { getAccountKey, options, signal } = this;
		const key = await getAccountKey?.();
		const pace = (key === undefined ? undefined : pacesByAccount.get(key)) ?? this.ownPace;
		if (key !== undefined) pacesByAccount.set(key, pace);
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
				pace.delay = options.delay + Math.random() * options.randomExtraDelay;
			}
			return started;
		};
		const turn = pace.mutex.runExclusive(takeTurn);
		// With a shared pace, the turn may come only in an hour, after those of others.
		return await new Promise((resolve, reject) => {
			const stop = () => {
				if (!isStarting) reject(new NotStartedError());
			};
			if (signal.aborted) stop();
			signal.addEventListener('abort', stop);
			turn.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
		});
	}
}
