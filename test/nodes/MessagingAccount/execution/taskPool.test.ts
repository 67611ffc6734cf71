import { runTasks, type Task } from '../../../../nodes/MessagingAccount/execution/taskPool';
import fc from '../../../support/fastCheck';

async function* generate(tasks: Task[]) {
	yield* tasks;
}

test('every task runs once, within the concurrency, and tasks with the same ordering key run in order without overlap', async () => {
	const orderingKey = fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined });
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			fc.array(orderingKey, { maxLength: 30 }),
			fc.integer({ min: 1, max: 5 }),
			async (scheduler, keys, concurrency) => {
				const order: number[] = [];
				const running = new Set<number>();
				const tasks = keys.map((orderingKey, index) => ({
					orderingKey,
					async run() {
						const others = [...running].map((other) => keys[other]);
						expect(orderingKey !== undefined && others.includes(orderingKey)).toBe(false);
						running.add(index);
						expect(running.size).toBeLessThanOrEqual(concurrency);
						order.push(index);
						await scheduler.schedule(Promise.resolve());
						running.delete(index);
					},
				}));
				await scheduler.waitFor(runTasks(generate(tasks), concurrency));
				expect([...order].sort((a, b) => a - b)).toEqual(keys.map((_, index) => index));
				if (concurrency === 1) expect(order).toEqual(keys.map((_, index) => index));
				for (const orderingKey of ['a', 'b', 'c']) {
					const ofKey = order.filter((index) => keys[index] === orderingKey);
					expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
				}
			},
		),
	);
});

test('neither a busy ordering key nor a task without one blocks others', async () => {
	const ran: string[] = [];
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks: Task[] = [
		{ orderingKey: 'a', run: async () => await blocked },
		{ orderingKey: 'a', run: async () => void ran.push('a2') },
		{ run: async () => await blocked },
		{ orderingKey: 'b', run: async () => void ran.push('b') },
		{ run: async () => void (ran.push('none'), release()) },
	];
	await runTasks(generate(tasks), 3);
	expect(ran).toEqual(['b', 'none', 'a2']);
});
