import { HTTP_REQUEST } from '../contenders';
import {
	checkLoadBounds,
	countEnds,
	countRequests,
	createLoadTable,
	keptPerCall,
	measureLatency,
	mostStale,
	ONE_N8N,
	percentile,
	THIS_NODE,
	type LoadRun,
} from './loadFigures';

test.each([
	[50, 50],
	[95, 95],
	[99, 99],
	[100, 100],
	[0.5, 1],
])('the percentile %d of 1 to 100', (percent, expected) => {
	const values = Array.from({ length: 100 }, (_, i) => 100 - i);
	expect(percentile(values, percent)).toBe(expected);
});

test('the latency of calls', () => {
	const calls = [400, 10, 20, 30].map((ms) => ({ status: 200, ms }));
	expect(measureLatency(calls)).toEqual({ median: 25, p95: 400, p99: 400, max: 400 });
});

test('counts how calls ended', () => {
	const calls = [200, 500, undefined, 200, 500].map((status) => ({ status, ms: 1 }));
	expect(countEnds(calls)).toEqual({ answered: 2, otherEnds: { '500': 2, 'no response': 1 } });
});

test('counts numbers that were requested more than once, and those that were not', () => {
	expect(countRequests(['1', '2', '3', '4'], ['1', '2', '2', '2', '4', '4'])).toEqual({
		twice: 2,
		missing: 1,
	});
	expect(countRequests(['1', '2'], ['2', '1'])).toEqual({ twice: 0, missing: 0 });
});

const sample = (answered: number, liveHeap: number) => ({
	answered,
	liveHeap,
	resident: 500e6,
	cpuMs: 5000 + answered * 20,
});

test('what is kept per call counts from the second sample to the third', () => {
	const samples = [sample(0, 100e6), sample(1000, 150e6), sample(3000, 151e6)];
	expect(keptPerCall(samples)).toBe(500);
	expect(keptPerCall(samples.slice(0, 2))).toBeUndefined();
	expect(keptPerCall([sample(0, 1), sample(9, 1), sample(9, 2)])).toBeUndefined();
});

test('entries on record are stale if the executions in progress do not need them', () => {
	expect(
		mostStale([
			{ entries: 9, inProgress: 3 },
			{ entries: 5, inProgress: 1 },
			{ entries: 1, inProgress: 0 },
		]),
	).toBe(2);
});

const RUN: LoadRun = {
	system: ONE_N8N,
	sender: THIS_NODE,
	calls: 3000,
	answered: 3000,
	otherEnds: {},
	twice: 0,
	missing: 0,
	latency: { median: 20, p95: 30, p99: 40, max: 50 },
	memory: { n8n: [sample(0, 100e6), sample(1000, 150e6), sample(3000, 151e6)] },
	record: [
		{ entries: 50_003, inProgress: 1 },
		{ entries: 0, inProgress: 0 },
	],
};

const broken = (run: Partial<LoadRun>, isShort = false) =>
	checkLoadBounds([{ ...RUN, ...run }], isShort)
		.filter(({ holds }) => holds !== true)
		.map(({ what, measured }) => [what, measured]);

test('the bounds hold up to their limits', () => {
	expect(broken({})).toEqual([]);
	expect(checkLoadBounds([RUN], false)).toHaveLength(6);
	expect(checkLoadBounds([RUN], true)).toHaveLength(3);
});

test.each<[what: string, run: Partial<LoadRun>, measured: number | undefined]>([
	['calls without an answer', { answered: 2999 }, 1],
	['numbers requested twice', { twice: 1 }, 1],
	['numbers never requested', { missing: 1 }, 1],
	[
		'entries on record beside those in use, at most',
		{ record: [{ entries: 50_004, inProgress: 1 }, RUN.record[1]] },
		50_001,
	],
	['entries on record at the end', { record: [{ entries: 1, inProgress: 1 }] }, 1],
])('a bound is broken: %s', (what, run, measured) => {
	expect(broken(run)).toEqual([[`one n8n: ${what}`, measured]]);
});

test('each process has a bound of the memory, which does not hold without measurements', () => {
	const memory = {
		main: RUN.memory.n8n,
		'worker 1': [sample(0, 100e6), sample(1000, 150e6), sample(3000, 151.1e6)],
		'worker 2': [sample(0, 100e6), sample(1000, 150e6)],
	};
	expect(broken({ memory })).toEqual([
		['one n8n, worker 1: bytes of live heap kept per call', 550],
		['one n8n, worker 2: bytes of live heap kept per call', undefined],
	]);
});

test('in queue mode, some entries may stay on record', () => {
	const left = (entries: number) => ({
		system: 'queue mode',
		record: [{ entries, inProgress: 0 }],
	});
	expect(broken(left(100))).toEqual([]);
	expect(broken(left(101))).toEqual([['queue mode: entries on record at the end', 101]]);
});

test('a short run checks neither memory nor record', () => {
	const record = [{ entries: 60_000, inProgress: 0 }];
	expect(broken({ memory: {}, record }, true)).toEqual([]);
	expect(broken({ answered: 0 }, true)).toHaveLength(1);
});

test('the HTTP Request node has no bounds', () => {
	expect(checkLoadBounds([{ ...RUN, sender: HTTP_REQUEST, twice: 9 }], false)).toEqual([]);
});

test('the table has a column for each run', () => {
	const memory = { main: RUN.memory.n8n, 'worker 1': RUN.memory.n8n };
	const queue = { ...RUN, system: 'queue mode', memory, otherEnds: { '500': 2, 'no response': 1 } };
	const table = createLoadTable([RUN, queue]).split('\n');
	expect(table.slice(0, 3)).toEqual([
		'|  | This node, one n8n | This node, queue mode |',
		'| --- | ---: | ---: |',
		'| answered | 3,000 of 3,000 | 3,000 of 3,000 |',
	]);
	expect(table).toContain('| other ends, by HTTP status |  | 500: 2<br>no response: 1 |');
	expect(table).toContain('| CPU time of n8n per call, ms | 20 | 40 |');
	expect(table).toContain('| bytes of live heap kept per call | 500 | main 500<br>worker 1 500 |');
	expect(table.at(-1)).toBe('| entries on record, at the end | 0 | 0 |');
});
