import { NotStartedError } from '../errors/errorClasses';
import { sleepUnlessAborted } from '../n8n/sleep';
import { Mutex } from '../shared/mutex';

/** Creates the pace of one run of the node, or of all runs that send through one account: `delay` ms from the last start to the next. */
const createPace = () => ({ mutex: new Mutex(), lastStart: -Infinity, delay: 0 });

/** The paces that runs of this process share, by account. They stay: there are few accounts, and each takes some hundred bytes. */
export const pacesByAccount = new Map<string, ReturnType<typeof createPace>>();

/** Starts tasks one at a time, in the order in which they come, with a delay between their starts. */
export class Throttle {
	private readonly ownPace = createPace();

	/** @param signal once aborted, nothing starts */
	constructor(
		private readonly options: { delay: number; randomExtraDelay: number },
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Waits for the turn of a task, then starts it. @throws NotStartedError, and what `start` throws
	 * @param start returns undefined if nothing was started; the next task then does not wait
	 * @param key of the account, for the pace that all runs share; undefined for that of this run
	 */
	async run<T>(start: () => Promise<T | undefined>, key?: string): Promise<T | undefined> {
		const { options, signal } = this;
		const pace = key === undefined ? this.ownPace : (pacesByAccount.get(key) ?? createPace());
		if (key !== undefined) pacesByAccount.set(key, pace);
		let isStarting = false;
		const takeTurn = async () => {
			const left = pace.delay - (performance.now() - pace.lastStart);
			if (!(await sleepUnlessAborted(left, signal))) throw new NotStartedError();
			isStarting = true;
			const started = await start();
			if (started !== undefined) {
				pace.lastStart = performance.now();
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
