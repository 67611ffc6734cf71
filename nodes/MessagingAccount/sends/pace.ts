import { isSleptOut, NotStarted } from '../service/tries';
import { Queue } from './queue';

/** Lets sends start one by one, with a delay between them. */
export class Pace {
	private readonly queue = new Queue();

	private lastStart = 0;

	/**
	 * @param delay ms between two starts
	 * @param halt nothing starts any more once it is aborted
	 */
	constructor(
		private readonly delay: number,
		private readonly halt: AbortSignal,
	) {}

	/**
	 * Waits for its turn, then starts.
	 *
	 * @param start returns false where there is nothing to send after all: then the next one need not wait
	 * @returns what `start` returns
	 * @throws NotStarted
	 */
	async inTurn(start: () => Promise<boolean>): Promise<boolean> {
		return await this.queue.inTurn(async () => {
			const sinceLast = Date.now() - this.lastStart;
			// A clock that was set back must not make anybody wait for longer than the delay.
			const wait = Math.min(this.delay - sinceLast, this.delay);
			if (!(await isSleptOut(wait, this.halt))) throw new NotStarted();
			const isStarted = await start();
			if (isStarted) this.lastStart = Date.now();
			return isStarted;
		});
	}
}
