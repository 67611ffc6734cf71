import { sleep } from 'n8n-workflow';

/** Work on one item. */
export interface Task {
	/** Tasks of the same lane keep their order and never overlap. */
	lane?: string;
	/** Must not reject: whoever makes the task looks after what goes wrong in it. */
	run(): Promise<void>;
}

/**
 * Runs tasks, in the order in which they are taken, as many at once as allowed. A task whose lane is busy lets those of
 * other lanes go first.
 *
 * @param take the next task; undefined when there is none, or when nothing is to start any more
 */
export async function runTasks(take: () => Task | undefined, concurrency: number): Promise<void> {
	const busyLanes = new Map<string, Task[]>();

	async function work(): Promise<void> {
		for (let task = take(); task; task = take()) {
			const { lane } = task;
			if (lane === undefined) {
				await task.run();
				continue;
			}
			const waiting = busyLanes.get(lane);
			if (waiting) {
				waiting.push(task);
				// A long list for one lane must not keep n8n from everything else while it is read.
				await sleep(0);
				continue;
			}
			const ofLane = [task];
			busyLanes.set(lane, ofLane);
			for (let next = ofLane.shift(); next; next = ofLane.shift()) await next.run();
			busyLanes.delete(lane);
		}
	}

	await Promise.all(Array.from({ length: concurrency }, work));
}
