import fc from 'fast-check';

import { runTasks } from '../../../../nodes/MessagingAccount/execution/taskPool';

test('every task runs once, as many at a time as allowed, and those of an ordering key in order and one at a time', async () => {
	const orderingKeys = fc.array(fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }), {
		maxLength: 30,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.scheduler(),
			orderingKeys,
			fc.integer({ min: 1, max: 5 }),
			async (scheduler, keyOf, concurrency) => {
				const order: number[] = [];
				const underWay = new Set<number>();
				let next = 0;
				const take = () => {
					if (next === keyOf.length) return undefined;
					const index = next++;
					const orderingKey = keyOf[index];
					return {
						orderingKey,
						async run() {
							const others = [...underWay].map((other) => keyOf[other]);
							expect(orderingKey !== undefined && others.includes(orderingKey)).toBe(false);
							underWay.add(index);
							expect(underWay.size).toBeLessThanOrEqual(concurrency);
							order.push(index);
							await scheduler.schedule(Promise.resolve());
							underWay.delete(index);
						},
					};
				};
				await scheduler.waitFor(runTasks(take, concurrency));
				expect([...order].sort((a, b) => a - b)).toEqual(keyOf.map((_, index) => index));
				if (concurrency === 1) expect(order).toEqual(keyOf.map((_, index) => index));
				for (const orderingKey of ['a', 'b', 'c']) {
					const ofKey = order.filter((index) => keyOf[index] === orderingKey);
					expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b));
				}
			},
		),
	);
});

test('a busy ordering key keeps nobody else waiting', async () => {
	const ran: string[] = [];
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks = [
		{ orderingKey: 'a', run: async () => await blocked },
		{ orderingKey: 'a', run: async () => void ran.push('a') },
		{ orderingKey: 'b', run: async () => void (ran.push('b'), release()) },
	];
	await runTasks(() => tasks.shift(), 2);
	expect(ran).toEqual(['b', 'a']);
});

test('tasks without an ordering key do not wait for each other', async () => {
	let release = () => {};
	const blocked = new Promise<void>((resolve) => (release = resolve));
	const tasks = [{ run: async () => await blocked }, { run: async () => release() }];
	await runTasks(() => tasks.shift(), 2);
	expect(tasks).toEqual([]);
});
