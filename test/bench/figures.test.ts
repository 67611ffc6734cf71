import {
	contenders,
	DECLARATIVE,
	fileContenders,
	FLOOR,
	HTTP_REQUEST,
	thisNode,
} from './contenders';
import { checkBounds, createSeries, median } from './figures';
import { FULL, isWorthMeasuring } from './plan';

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
	const oneItem = { [thisNode(1)]: 20, [FLOOR]: 5 };
	const figures = {
		files: [],
		oneItem,
		keptPerItem: 200,
		loading: 25.1,
		perSecond: { 1: 10, 2: 17.1 },
	};
	const series = [seriesWithTime(thisNode(1), 500), seriesWithTime(HTTP_REQUEST, 999)];
	const bounds = checkBounds({ ...figures, series });
	expect(bounds[0]).toMatchObject({ measured: 500 / 999, atMost: 0.5, holds: false });
	expect(bounds[1]).toMatchObject({ measured: undefined, holds: undefined });
	expect(bounds.slice(-4).map(({ holds }) => holds)).toEqual([true, true, false, true]);
	const longer = { ...figures, oneItem: { ...oneItem, [FLOOR]: 4.9 } };
	expect(checkBounds({ ...longer, series }).at(-4)).toMatchObject({ holds: false });
	expect(checkBounds({ ...figures, oneItem: {}, series }).at(-4)).toMatchObject({
		holds: undefined,
	});
	const slower = { ...figures, perSecond: { 1: 10, 2: 16.9 } };
	expect(checkBounds({ ...slower, series }).at(-1)).toMatchObject({ holds: false });

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
		oneItem: { [thisNode(1)]: 2, [FLOOR]: 1 },
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
