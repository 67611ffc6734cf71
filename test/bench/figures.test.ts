import { contenders, DECLARATIVE, HTTP_REQUEST, thisNode } from './contenders';
import { boundsOf, median, seriesOf } from './figures';
import { FULL, inOrder, isWorthIt } from './plan';
import { timeByPart } from './profile';

test.each([
	[[3], 3],
	[[1, 30, 2], 2],
	[[10, 1, 3, 2], 2.5],
])('the median of %j is %d', (values, expected) => {
	expect(median(values)).toBe(expected);
});

const seriesTaking = (contender: string, ms: number) =>
	seriesOf({ items: 1000, latency: 0 }, contender, [{ ms, connections: 1000 }]);

test('a bound holds up to its limit, is broken above it, and is not judged without measurements', () => {
	const figures = { keptPerItem: 200, loading: 25.1, perSecond: { 1: 10, 2: 17.1 } };
	const series = [seriesTaking(thisNode(1), 500), seriesTaking(HTTP_REQUEST, 999)];
	const bounds = boundsOf({ ...figures, series });
	expect(bounds[0]).toMatchObject({ measured: 500 / 999, atMost: 0.5, holds: false });
	expect(bounds[1]).toMatchObject({ measured: undefined, holds: undefined });
	expect(bounds.slice(-3).map(({ holds }) => holds)).toEqual([true, false, true]);
	const slower = { ...figures, perSecond: { 1: 10, 2: 16.9 } };
	expect(boundsOf({ ...slower, series }).at(-1)).toMatchObject({ holds: false });

	const faster = [...series, seriesTaking(DECLARATIVE, 1250)];
	expect(boundsOf({ ...figures, series: faster })[1]).toMatchObject({ measured: 0.4, holds: true });
});

test('the full form measures all that has a bound', () => {
	const series = FULL.loads.flatMap((load) =>
		contenders('http://127.0.0.1')
			.filter((contender) => isWorthIt(load, contender))
			.map(({ name }) => seriesOf(load, name, [{ ms: 1, peakMemory: 1, connections: 1 }])),
	);
	const bounds = boundsOf({ series, keptPerItem: 0, loading: 0, perSecond: { 1: 1, 2: 2 } });
	expect(bounds.filter(({ holds }) => holds === undefined)).toEqual([]);
});

test('each round has all contenders, in another order', () => {
	const all = contenders('http://127.0.0.1');
	const orders = [0, 1, 2, 3, 4].map((round) => inOrder(round, all).map(({ name }) => name));
	for (const order of orders) expect([...order].sort()).toEqual(all.map(({ name }) => name).sort());
	expect(new Set(orders.map(String)).size).toBe(orders.length);
});

test('the peak memory is the median of what could be measured', () => {
	const rounds = [5, undefined, 7, 6].map((peakMemory) => ({ ms: 1, peakMemory, connections: 1 }));
	const load = { items: 1, latency: 0 };
	expect(seriesOf(load, 'x', rounds).median.peakMemory).toBe(6);
	expect(seriesOf(load, 'x', [rounds[1]]).median.peakMemory).toBeUndefined();
});

test('who would only wait for the service is left out', () => {
	const latency = 50;
	const isRun = (items: number, concurrency: number) =>
		isWorthIt({ items, latency }, { name: 'x', concurrency });
	expect([isRun(100, 1), isRun(500, 1), isRun(1000, 10), isRun(10_000, 10)]).toEqual([
		true,
		false,
		true,
		false,
	]);
	expect([isRun(10_000, 50), isRun(10_000, Infinity)]).toEqual([true, true]);
	expect(isWorthIt({ items: 10_000, latency: 0 }, { name: 'x', concurrency: 1 })).toBe(true);
});

test('a profile is summed up by whose code was at work, for each item', () => {
	const frames = [
		['(idle)', ''],
		['exchange', 'file:///n/node_modules/n8n-nodes-messaging-account/dist/nodes/request.js'],
		['evalClosureSync', ''],
		['writev', ''],
	];
	const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url } }));
	const profile = { nodes, samples: [0, 1, 2, 3, 1], timeDeltas: [1000, 20, 300, 40, 80] };
	expect(timeByPart(profile, 10)).toMatchObject({
		waiting: 100,
		'this package': 10,
		'expressions and the rest of n8n-workflow': 30,
		'Node.js': 4,
		database: 0,
	});
});
