/** Runs callbacks one at a time: each begins when the one before it has ended, with or without an error. */
export class Mutex {
	private last: Promise<unknown> = Promise.resolve();

	async runExclusive<T>(callback: () => Promise<T>): Promise<T> {
		const result = this.last.then(callback);
		// The result is dropped, because a mutex may outlive those who use it.
		const forget = () => {};
		this.last = result.then(forget, forget);
		return await result;
	}
}
