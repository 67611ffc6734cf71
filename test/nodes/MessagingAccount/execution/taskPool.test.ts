import { runTasks, type Task } from '../../../../nodes/MessagingAccount/execution/taskPool';
import fc from '../../../support/fastCheck';

test('every task runs once, within the concurrency and after the one that it waits for, and tasks with the same ordering key run in order without overlap', async () => {
	const tasks = fc.array(
		fc.record({
			orderingKey: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
			/** It waits for the task that is so many places before it. */
			waitsFor: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
		}),
		{ maxLength: 30 },
	);
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			tasks,
			fc.integer({ min: 1, max: 5 }),
			async (scheduler, list, concurrency) => {
				const keys = list.map(({ orderingKey }) => orderingKey);
				const ends = list.map(() => {
					let end = () => {};
					const ended = new Promise<void>((resolve) => (end = resolve));
					return { ended, end, hasEnded: false };
				});
				const order: number[] = [];
				const running = new Set<number>();
				let next = 0;
				const nextTask = async () => {
					if (next === keys.length) return undefined;
					const index = next++;
					const orderingKey = keys[index];
					const other = ends[index - (list[index].waitsFor ?? 0)] ?? ends[index];
					const awaited = other === ends[index] ? undefined : other;
					return {
						orderingKey,
						waitsFor: () => (awaited?.hasEnded ? undefined : awaited?.ended),
						async run() {
							expect(awaited?.hasEnded).not.toBe(false);
							const others = [...running].map((other) => keys[other]);
							expect(orderingKey !== undefined && others.includes(orderingKey)).toBe(false);
							running.add(index);
							expect(running.size).toBeLessThanOrEqual(concurrency);
							order.push(index);
							await scheduler.schedule(Promise.resolve());
							running.delete(index);
							ends[index].hasEnded = true;
							ends[index].end();
						},
					};
				};
				await scheduler.waitFor(runTasks(nextTask, concurrency));
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

test('neither a busy ordering key nor a task that waits for another one blocks others', async () => {
	const ran: string[] = [];
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	let isBlocked = true;
	const waitsFor = () => (isBlocked ? blocked : undefined);
	const tasks: Task[] = [
		{ orderingKey: 'a', run: async () => await blocked },
		{ orderingKey: 'a', run: async () => void ran.push('a2') },
		{ orderingKey: 'b', waitsFor, run: async () => void ran.push('b') },
		{ orderingKey: 'c', waitsFor, run: async () => void ran.push('c') },
		{ orderingKey: 'b', run: async () => void ran.push('b2') },
		{ orderingKey: 'd', run: async () => void (ran.push('d'), (isBlocked = false), release()) },
	];
	await runTasks(async () => tasks.shift(), 2);
	expect(ran[0]).toBe('d');
	expect(ran.filter((name) => !['a2', 'c'].includes(name))).toEqual(['d', 'b', 'b2']);
	expect([...ran].sort()).toEqual(['a2', 'b', 'b2', 'c', 'd']);
});

test('a task that waits runs also if all others have ended before', async () => {
	const ran: string[] = [];
	let isBlocked = true;
	const blocked = new Promise<void>((resolve) =>
		setImmediate(() => {
			isBlocked = false;
			resolve();
		}),
	);
	const tasks: Task[] = [
		{ waitsFor: () => (isBlocked ? blocked : undefined), run: async () => void ran.push('b') },
		{ run: async () => void ran.push('a') },
	];
	await runTasks(async () => tasks.shift(), 2);
	expect(ran).toEqual(['a', 'b']);
});

test('tasks without an ordering key do not wait for each other', async () => {
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks = [{ run: async () => await blocked }, { run: async () => release() }];
	await runTasks(async () => tasks.shift(), 2);
	expect(tasks).toEqual([]);
});
