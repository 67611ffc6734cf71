/**
 * Does other work meanwhile, as n8n would, in a timer that starts itself again.
 *
 * @returns how often it got its turn: at least once in each pause of the callback, because timers of one delay run in order
 */
export async function countEventLoopTurns(callback: () => Promise<unknown>): Promise<number> {
	let count = 0;
	let timer: NodeJS.Timeout;
	const start = () => {
		timer = setTimeout(() => {
			count++;
			start();
		}, 0);
	};
	start();
	await callback().finally(() => clearTimeout(timer));
	return count;
}
