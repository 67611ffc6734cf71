import { sleep } from '../n8n/sleep';

export interface Task {
	/** Tasks with the same key keep their order and never overlap. */
	orderingKey?: string;
	/** Must not reject: whoever creates the task handles its errors. */
	run(): Promise<void>;
}

/** Runs tasks in their order, up to `concurrency` at a time. */
export async function runTasks(tasks: AsyncGenerator<Task>, concurrency: number) {
	/** The tasks that run or wait for their turn, by ordering key. */
	const queues = new Map<string | undefined, Task[]>();

	async function worker(): Promise<void> {
		for await (const task of tasks) {
			const { orderingKey } = task;
			const queue = queues.get(orderingKey) ?? [];
			// Each task without a key has a queue of its own.
			if (orderingKey !== undefined) queues.set(orderingKey, queue);
			// Whoever runs a key's first task runs those that come meanwhile, too. To collect a long list of them must not block n8n's event loop.
			if (queue.push(task) > 1) await sleep(0);
			else for (; queue.length > 0; queue.shift()) await queue[0].run();
		}
	}

	await Promise.all(Array.from({ length: concurrency }, worker));
}
