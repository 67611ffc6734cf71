/** Makes calls take turns: each begins when the one before it has ended, however that ended. */
export class Queue {
	private last: Promise<unknown> = Promise.resolve();

	/** @returns what `call` returns; throws what it throws */
	async inTurn<T>(call: () => Promise<T>): Promise<T> {
		const result = this.last.then(call);
		this.last = result.catch(() => {});
		return await result;
	}
}
