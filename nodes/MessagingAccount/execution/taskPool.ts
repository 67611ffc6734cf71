import { sleep } from 'n8n-workflow';

/** The work on one item. */
export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
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
	const waitingTasks = new Map<string | Task, Task[]>();

	async function worker(): Promise<void> {
		for (let task = await nextTask(); task; task = await nextTask()) {
			// Without a key, no other task waits for it.
			const key = task.orderingKey ?? task;
			const waiting = waitingTasks.get(key);
			if (waiting) {
				waiting.push(task);
				// Collecting a long list for one key must not block n8n's event loop.
				await sleep(0);
				continue;
			}
			const queue = [task];
			waitingTasks.set(key, queue);
			for (let next = queue.shift(); next; next = queue.shift()) await next.run();
			waitingTasks.delete(key);
		}
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
