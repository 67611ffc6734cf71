import { sleep } from 'n8n-workflow';

/** The work on one item. */
export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
	/** Tells what the task must wait for; undefined if it may run. Tasks with other keys go first. */
	waitsFor?(): Promise<unknown> | undefined;
	/** Must not reject: whoever creates the task handles its errors. */
	run(): Promise<void>;
}

/**
 * Runs tasks in the order in which `nextTask` returns them, up to `concurrency` at a time. A task that waits for another
 * one with its ordering key lets tasks with other keys go first.
 *
 * @param nextTask returns undefined if there are no more tasks, or nothing more may start
 */
export async function runTasks(
	nextTask: () => Promise<Task | undefined>,
	concurrency: number,
): Promise<void> {
	const queues = new Map<string | Task, Task[]>();
	/** Continue queues whose first task had to wait. */
	const ready: Array<() => Promise<void>> = [];
	const waits = new Set<Promise<void>>();

	async function runQueue(key: string | Task, queue: Task[]): Promise<void> {
		for (let next = queue.shift(); next; next = queue.shift()) {
			const awaited = next.waitsFor?.();
			if (awaited) {
				queue.unshift(next);
				const wait = awaited.then(() => {
					waits.delete(wait);
					ready.push(async () => await runQueue(key, queue));
				});
				waits.add(wait);
				return;
			}
			await next.run();
		}
		queues.delete(key);
	}

	/** @returns whether anything is left to do */
	async function work(): Promise<boolean> {
		const task = ready.length > 0 ? undefined : await nextTask();
		if (task) {
			// Without a key, no other task waits for it.
			const key = task.orderingKey ?? task;
			const queue = queues.get(key);
			if (!queue) {
				queues.set(key, [task]);
				await runQueue(key, queues.get(key)!);
			} else {
				queue.push(task);
				// Collecting a long list for one key must not block n8n's event loop.
				await sleep(0);
			}
			return true;
		}
		if (ready.length === 0) await Promise.race(waits.size > 0 ? waits : [undefined]);
		const resume = ready.shift();
		await resume?.();
		return resume !== undefined || waits.size > 0;
	}

	async function worker(): Promise<void> {
		while (await work());
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
