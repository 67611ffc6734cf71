import { checkWeekBounds, timesPerSend, type Week, type WeekExecution } from './weekFigures';

/** @param times ms per send, for every 10,000 sends */
const createWeek = (times: number[], change: Partial<WeekExecution> = {}): Week => ({
	items: 100,
	executions: times.flatMap((ms) =>
		Array.from({ length: 100 }, () => ({
			status: 200,
			ms: ms * 100,
			cpuMs: ms * 50,
			entries: 10_000,
			...change,
		})),
	),
	twice: 0,
	missing: 0,
});

const broken = (week: Week, isShort = false) =>
	checkWeekBounds(week, isShort)
		.filter(({ holds }) => holds !== true)
		.map(({ what, measured }) => [what, measured]);

test('the time per send, for every 10,000 sends', () => {
	expect(timesPerSend(createWeek([7, 10, 11]))).toEqual([7, 10, 11]);
	expect(timesPerSend(createWeek([7, 10, 11]), 'cpuMs')).toEqual([3.5, 5, 5.5]);
	const short = { ...createWeek([7]), executions: createWeek([7]).executions.slice(0, 5) };
	expect(timesPerSend(short)).toEqual([7]);
});

test('with a full record, sends must not become slower', () => {
	expect(broken(createWeek([5, 10, 30, 12]))).toEqual([]);
	const what = 'time per send at the end, against the first with a full record';
	expect(broken(createWeek([5, 10, 10, 12.1]))).toEqual([[what, 1.21]]);
	expect(broken(createWeek([5, 10]))).toEqual([[what, undefined]]);
	expect(broken(createWeek([5, 10]), true)).toEqual([]);
});

test('everything is answered and requested once, and the record is no longer than 10,000 entries', () => {
	const slow = createWeek([5, 10, 10], { status: 500, entries: 10_001 });
	expect(broken({ ...slow, twice: 1, missing: 2 })).toEqual([
		['executions without an answer', 300],
		['numbers requested twice', 1],
		['numbers never requested', 2],
		['entries on record', 10_001],
	]);
});
