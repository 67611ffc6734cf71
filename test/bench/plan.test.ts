import { contenders, DECLARATIVE } from '../../bench/contenders';
import { isWorthMeasuring, shuffle } from '../../bench/plan';

test('each round contains all contenders, in a different order', () => {
	const all = contenders('http://127.0.0.1');
	const orders = [0, 1, 2, 3, 4].map((round) => shuffle(round, all).map(({ name }) => name));
	for (const order of orders) expect([...order].sort()).toEqual(all.map(({ name }) => name).sort());
	expect(new Set(orders.map(String)).size).toBe(orders.length);
});

test('contenders that would mostly wait for the service are skipped', () => {
	const latency = 50;
	const isMeasured = (items: number, concurrency: number) =>
		isWorthMeasuring({ items, latency }, { name: 'x', concurrency });
	expect([
		isMeasured(100, 1),
		isMeasured(500, 1),
		isMeasured(1000, 10),
		isMeasured(10_000, 10),
	]).toEqual([true, false, true, false]);
	expect([isMeasured(10_000, 50), isMeasured(10_000, Infinity)]).toEqual([true, true]);
	expect(isWorthMeasuring({ items: 10_000, latency: 0 }, { name: 'x', concurrency: 1 })).toBe(true);
});

test('the declarative node is skipped where n8n cannot take it', () => {
	const isMeasured = (items: number) =>
		isWorthMeasuring({ items, latency: 0 }, { name: DECLARATIVE, concurrency: Infinity });
	expect([isMeasured(1000), isMeasured(10_000)]).toEqual([true, false]);
});
