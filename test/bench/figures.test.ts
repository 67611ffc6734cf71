import {
	contenders,
	DECLARATIVE,
	fileContenders,
	HTTP_REQUEST,
	THIS_NODE,
	thisNode,
} from '../../bench/contenders';
import {
	checkBounds,
	createSeries,
	median,
	type CallFigures,
	type Figures,
} from '../../bench/figures';
import { FULL, isWorthMeasuring } from '../../bench/plan';

test.each([
	[[3], 3],
	[[1, 30, 2], 2],
	[[10, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
	expect(median(values)).toBe(expected);
});

const seriesWithTime = (contender: string, ms: number) =>
	createSeries({ items: 1000, latency: 0 }, contender, [{ ms, connections: 1000 }]);

test('a bound holds up to its limit, is broken above it, and is unknown without measurements', () => {
	const call = { perSecond: 21.1, median: 11, p95: 33, cpu: 20 };
	const other = { perSecond: 20, median: 10, p95: 30, cpu: 20 };
	const calls = { [THIS_NODE]: call, [HTTP_REQUEST]: other };
	const createOneItem = (more: Partial<CallFigures>, keysLeft = 0) => ({
		SQLite: {
			byLoad: { '1 caller': calls, '20 callers': { ...calls, [THIS_NODE]: { ...call, ...more } } },
			keysLeft,
		},
	});
	const figures = {
		files: [],
		oneItem: createOneItem({}),
		keptPerItem: 200,
		loading: 25.1,
		perSecond: { 1: 10, 2: 17.1 },
	};
	const series = [seriesWithTime(thisNode(1), 500), seriesWithTime(HTTP_REQUEST, 999)];
	const bounds = checkBounds({ ...figures, series });
	expect(bounds[0]).toMatchObject({ measured: 500 / 999, atMost: 0.5, holds: false });
	expect(bounds[1]).toMatchObject({ measured: undefined, holds: undefined });
	const holdsOf = (more: Partial<Figures>) =>
		checkBounds({ ...figures, ...more, series })
			.slice(8)
			.map(({ holds }) => holds);
	expect(holdsOf({})).toEqual([true, false, true, ...[true, true, true, true, true]]);
	expect(holdsOf({ perSecond: { 1: 10, 2: 16.9 } })[2]).toBe(false);
	const slower = { oneItem: createOneItem({ perSecond: 21, p95: 33.1 }, 1) };
	expect(holdsOf(slower).slice(3)).toEqual([true, true, false, false, false]);
	expect(holdsOf({ oneItem: { SQLite: { byLoad: {}, keysLeft: 0 } } }).slice(3)).toEqual([
		...[undefined, undefined, undefined, undefined],
		true,
	]);

	const faster = [...series, seriesWithTime(DECLARATIVE, 1250)];
	expect(checkBounds({ ...figures, series: faster })[1]).toMatchObject({
		measured: 0.4,
		holds: true,
	});
});

test('a full run measures everything that has a bound', () => {
	const series = FULL.loads.flatMap((load) =>
		contenders('http://127.0.0.1')
			.filter((contender) => isWorthMeasuring(load, contender))
			.map(({ name }) => createSeries(load, name, [{ ms: 1, peakMemory: 1, connections: 1 }])),
	);
	const measured = { ms: 1, wholePeakMemory: 1, connections: 1 };
	const files = fileContenders('http://127.0.0.1').map(({ name }) =>
		createSeries({ items: FULL.files, latency: 0 }, name, [measured]),
	);
	const bounds = checkBounds({
		series,
		files,
		oneItem: {},
		keptPerItem: 0,
		loading: 0,
		perSecond: { 1: 1, 2: 2 },
	});
	expect(bounds.filter(({ holds }) => holds === undefined)).toEqual([]);
});

test('the peak memory is the median of the measured values', () => {
	const rounds = [5, undefined, 7, 6].map((peakMemory) => ({ ms: 1, peakMemory, connections: 1 }));
	const load = { items: 1, latency: 0 };
	expect(createSeries(load, 'x', rounds).median.peakMemory).toBe(6);
	expect(createSeries(load, 'x', [rounds[1]]).median.peakMemory).toBeUndefined();
});
