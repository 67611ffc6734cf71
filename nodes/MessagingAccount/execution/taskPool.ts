import { sleep } from 'n8n-workflow';

export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
	/** Returns the promise that the task must wait for; undefined if it may run. Tasks with other keys go first. */
	waitsFor?(): Promise<unknown> | undefined;
	/** Must not reject: whoever creates the task handles its errors. */
	run(): Promise<void>;
}

/** Runs tasks in their order, up to `concurrency` at a time. @param nextTask returns undefined if no more may start */
export async function runTasks(nextTask: () => Promise<Task | undefined>, concurrency: number) {
	/** The tasks that run or wait for their turn, by ordering key. */
	const queues = new Map<string | undefined, Task[]>();
	/** The queues whose first task may run. */
	const ready: Task[][] = [];
	const waits = new Set<Promise<void>>();

	async function runQueue(queue: Task[]): Promise<void> {
		for (; queue.length > 0; queue.shift()) {
			const awaited = queue[0].waitsFor?.();
			if (awaited) {
				const wait = awaited.then(() => void (waits.delete(wait), ready.push(queue)));
				waits.add(wait);
				return;
			}
			await queue[0].run();
		}
	}

	async function worker(): Promise<void> {
		for (;;) {
			const task = ready.length > 0 ? undefined : await nextTask();
			if (task) {
				const queue = queues.get(task.orderingKey) ?? [];
				if (task.orderingKey !== undefined) queues.set(task.orderingKey, queue);
				if (queue.push(task) === 1) await runQueue(queue);
				// Collecting a long list for one key must not block n8n's event loop.
				else await sleep(0);
			} else if (ready.length > 0) await runQueue(ready.shift()!);
			else if (waits.size > 0) await Promise.race(waits);
			else return;
		}
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
