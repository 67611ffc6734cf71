import { sleep } from 'n8n-workflow';

/** The work on one item. */
export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
	/** Returns the promise that the task must wait for; undefined if it may run. Tasks with other keys go first. */
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
export async function runTasks(nextTask: () => Promise<Task | undefined>, concurrency: number) {
	const queues = new Map<string | Task, Task[]>();
	/** The keys of queues whose first task may run. */
	const ready: Array<string | Task> = [];
	const waits = new Set<Promise<void>>();

	async function runQueue(key: string | Task): Promise<void> {
		const queue = queues.get(key)!;
		for (; queue.length > 0; queue.shift()) {
			const awaited = queue[0].waitsFor?.();
			if (awaited) {
				const wait = awaited.then(() => void (waits.delete(wait), ready.push(key)));
				waits.add(wait);
				return;
			}
			await queue[0].run();
		}
		queues.delete(key);
	}

	async function worker(): Promise<void> {
		for (;;) {
			const task = ready.length > 0 ? undefined : await nextTask();
			// Without a key, no other task waits for it.
			const key = task?.orderingKey ?? task ?? ready.shift();
			const queue = task && queues.get(key!);
			if (queue) {
				queue.push(task);
				// Collecting a long list for one key must not block n8n's event loop.
				await sleep(0);
			} else if (key) {
				if (task) queues.set(key, [task]);
				await runQueue(key);
			} else if (waits.size > 0) await Promise.race(waits);
			else return;
		}
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
