import { renderChart } from '../../bench/chart';
import {
	callContenders,
	HTTP_REQUEST,
	listContenders,
	THIS_NODE,
	thisNode,
	type Contender,
} from '../../bench/contenders';
import { checkBounds, median, medianOf, type Figures } from '../../bench/figures';
import { FULL, shuffle, type CallLoadName, type LoadName } from '../../bench/plan';

test.each([
	[[3], 3],
	[[1, 30, 2], 2],
	[[10, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => expect(median(values)).toBe(expected));

test('each figure has its own median', () => {
	const both = (a: number, b: number) => ({ a, b });
	expect(medianOf([both(1, 5), both(2, 4), both(3, 9)])).toEqual(both(2, 5));
});

const run = <L extends string, F>(loads: L[], contenders: Contender[], median: F) =>
	loads.flatMap((load) =>
		contenders
			.filter(({ skips = [] }) => !skips.some((one) => one === load))
			.map(({ name }) => ({ load, contender: name, median })),
	);

/** A full run in which all contenders are equal. */
const EQUAL: Figures = {
	lists: run(Object.keys(FULL.lists) as LoadName[], listContenders(''), { ms: 10, peakMemory: 1 }),
	calls: run(Object.keys(FULL.calls) as CallLoadName[], callContenders(''), {
		perSecond: 10,
		ms: 1,
	}),
	keptPerItem: 200,
};

const boundsOf = (more: Partial<Figures>) => checkBounds({ ...EQUAL, ...more });

test('a full run measures everything that has a bound', () => {
	expect(boundsOf({}).map(({ measured }) => measured)).toEqual([1, 1, 1, 1, 1, 1, 200, 1]);
});

test('a bound holds up to its limit, not above it, nor without measurements', () => {
	const [list] = EQUAL.lists;
	const timed = (contender: string, ms: number) => ({
		...list,
		contender,
		median: { ...list.median, ms },
	});
	const lists = [timed(thisNode(1), 500), timed(HTTP_REQUEST, 1000)];
	expect(boundsOf({ lists })[0]).toMatchObject({ measured: 0.5, holds: true });
	lists[1].median.ms = 999;
	expect(boundsOf({ lists })[0].holds).toBe(false);
	expect(boundsOf({ lists })[1]).toMatchObject({ measured: NaN, holds: false });
	expect(boundsOf({})[6].holds).toBe(true);
	expect(boundsOf({ keptPerItem: 201 })[6].holds).toBe(false);
});

test('more answers a second are less time', () => {
	const answered = (contender: string, perSecond: number) => ({
		load: '20 callers' as const,
		contender,
		median: { perSecond, ms: 1 },
	});
	const calls = [answered(THIS_NODE, 20), answered(HTTP_REQUEST, 19)];
	expect(boundsOf({ calls }).at(-1)).toMatchObject({ measured: 0.95, holds: true });
});

test('each round contains all contenders, in a different order', () => {
	const turns = listContenders('').map((contender) => ({ contender }));
	const names = (some: typeof turns) => some.map(({ contender }) => contender.name);
	const orders = [0, 1, 2, 3, 4].map((round) => names(shuffle(round, turns)));
	for (const order of orders) expect([...order].sort()).toEqual(names(turns).sort());
	expect(new Set(orders.map(String)).size).toBe(orders.length);
});

test('the chart has a bar for each figure, as long as its share of the longest', () => {
	const lists = [
		{ load: 'list' as const, contender: 'A', median: { ms: 500, peakMemory: 1 } },
		{ load: 'list' as const, contender: 'B', median: { ms: 2000, peakMemory: 1 } },
	];
	const bars = [...renderChart(FULL, lists).matchAll(/<rect x="230".*? width="(\d+)"/g)];
	expect(bars.map(([, width]) => Number(width))).toEqual([140, 560]);
	expect(renderChart(FULL, lists)).toContain('>2.00 ms<');
});
