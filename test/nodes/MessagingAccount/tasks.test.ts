import fc from 'fast-check';

import { runTasks } from '../../../nodes/MessagingAccount/tasks';

test('every task runs once, as many at a time as allowed, and those of a lane in order and one at a time', async () => {
	const lanes = fc.array(fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }), {
		maxLength: 30,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			lanes,
			fc.integer({ min: 1, max: 5 }),
			async (scheduler, laneOf, concurrency) => {
				const order: number[] = [];
				const underWay = new Set<number>();
				let next = 0;
				const take = () => {
					if (next === laneOf.length) return undefined;
					const index = next++;
					const lane = laneOf[index];
					return {
						lane,
						async run() {
							const others = [...underWay].map((other) => laneOf[other]);
							expect(lane !== undefined && others.includes(lane)).toBe(false);
							underWay.add(index);
							expect(underWay.size).toBeLessThanOrEqual(concurrency);
							order.push(index);
							await scheduler.schedule(Promise.resolve());
							underWay.delete(index);
						},
					};
				};
				await scheduler.waitFor(runTasks(take, concurrency));
				expect([...order].sort((a, b) => a - b)).toEqual(laneOf.map((_, index) => index));
				if (concurrency === 1) expect(order).toEqual(laneOf.map((_, index) => index));
				for (const lane of ['a', 'b', 'c']) {
					const ofLane = order.filter((index) => laneOf[index] === lane);
					expect(ofLane).toEqual([...ofLane].sort((a, b) => a - b));
				}
			},
		),
	);
});

test('a busy lane keeps nobody else waiting', async () => {
	const ran: string[] = [];
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks = [
		{ lane: 'a', run: async () => await blocked },
		{ lane: 'a', run: async () => void ran.push('a') },
		{ lane: 'b', run: async () => void (ran.push('b'), release()) },
	];
	await runTasks(() => tasks.shift(), 2);
	expect(ran).toEqual(['b', 'a']);
});

test('tasks without a lane do not wait for each other', async () => {
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks = [{ run: async () => await blocked }, { run: async () => release() }];
	await runTasks(() => tasks.shift(), 2);
	expect(tasks).toEqual([]);
});
