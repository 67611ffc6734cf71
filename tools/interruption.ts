/** Rejects when the program is interrupted, e.g. with Ctrl-C, so that it can stop what it started. */
export async function rejectWhenInterrupted(): Promise<never> {
	return await new Promise<never>((_resolve, reject) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
			process.on(signal, () => reject(new Error('It was interrupted.')));
		}
	});
}
