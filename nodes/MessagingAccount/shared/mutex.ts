/** Runs callbacks one at a time: each begins when the one before it has ended, with or without an error. */
export class Mutex {
	private last: Promise<unknown> = Promise.resolve();

	/** @returns what `callback` returns; throws what it throws */
	async runExclusive<T>(callback: () => Promise<T>): Promise<T> {
		const result = this.last.then(callback);
		this.last = result.catch(() => {});
		return await result;
	}
}
