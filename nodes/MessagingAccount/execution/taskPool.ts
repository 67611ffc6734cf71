import { sleep } from 'n8n-workflow';

export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
	/** Must not reject: whoever creates the task handles its errors. */
	run(): Promise<void>;
}

/** Runs tasks in their order, up to `concurrency` at a time. @param nextTask returns undefined if no more may start */
export async function runTasks(nextTask: () => Promise<Task | undefined>, concurrency: number) {
	/** The tasks that run or wait for their turn, by ordering key. */
	const queues = new Map<string, Task[]>();

	async function worker(): Promise<void> {
		for (;;) {
			const task = await nextTask();
			if (!task) return;
			const queue = (task.orderingKey !== undefined && queues.get(task.orderingKey)) || [];
			if (task.orderingKey !== undefined) queues.set(task.orderingKey, queue);
			// Collecting a long list for one key must not block n8n's event loop.
			if (queue.push(task) > 1) await sleep(0);
			else for (; queue.length > 0; queue.shift()) await queue[0].run();
		}
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
