import { createBound, median, type Bound } from '../figures';
import type { Usage } from '../inspector';

/** A call of a webhook that has ended. */
export interface Call {
	/** Of the HTTP response; undefined if there was none. */
	status?: number;
	/** From the time at which it was due. */
	ms: number;
}

/** Of a process. */
export interface MemorySample extends Usage {
	/** Calls that had ended by then. */
	answered: number;
	/** V8's live heap after a garbage collection, in bytes. */
	liveHeap: number;
}

/** Of n8n's record of processed data. */
export interface RecordSample {
	entries: number;
	/** Calls without an answer at the same time. */
	inProgress: number;
}

/** What was measured while webhooks were called at a steady rate. */
export interface LoadRun {
	system: string;
	sender: string;
	calls: number;
	/** With HTTP 200. */
	answered: number;
	/** How many of the others ended with which HTTP status, or without any. */
	otherEnds: Record<string, number>;
	/** How many numbers were requested more than once. */
	twice: number;
	/** How many numbers were never requested. */
	missing: number;
	/** In ms. */
	latency: Latency;
	/** By process: before the first call, after the first minute, and after the last call. */
	memory: Record<string, MemorySample[]>;
	record: RecordSample[];
}

export interface Latency {
	median: number;
	p95: number;
	p99: number;
	max: number;
}

export const THIS_NODE = 'This node';
export const ONE_N8N = 'one n8n';

/** `MAX_KEYS` of sendRecord.ts. */
const MAX_ENTRIES = 50_000;

/** The run of the node, the send as begun, and the send as sent. */
const ENTRIES_PER_EXECUTION = 3;

/** One worker can undo that another removes an entry, and the last ones to end do not repeat it. */
const MAX_LEFT_BY_WORKERS = 100;

/** What a leak of a few hundred objects per call would exceed many times, and noise of 2 MB in 10,000 calls does not reach. */
const MAX_KEPT_BYTES = 500;

/** Counts how calls ended. */
export function countEnds(calls: Call[]): Pick<LoadRun, 'answered' | 'otherEnds'> {
	const otherEnds: Record<string, number> = {};
	for (const { status = 'no response' } of calls) {
		if (status !== 200) otherEnds[status] = (otherEnds[status] ?? 0) + 1;
	}
	return { answered: calls.filter(({ status }) => status === 200).length, otherEnds };
}

/** Returns the smallest value that at least this percentage of all values do not exceed. */
export function percentile(values: number[], percent: number): number {
	const sorted = [...values].sort((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
}

export function measureLatency(calls: Call[]): Latency {
	const times = calls.map(({ ms }) => ms);
	return {
		median: median(times),
		p95: percentile(times, 95),
		p99: percentile(times, 99),
		max: percentile(times, 100),
	};
}

/**
 * Compares what should be requested with what was.
 *
 * @param expected numbers, all different
 * @param requested the number of each request
 */
export function countRequests(
	expected: string[],
	requested: string[],
): Pick<LoadRun, 'twice' | 'missing'> {
	const counts = new Map<string, number>();
	for (const number of requested) counts.set(number, (counts.get(number) ?? 0) + 1);
	return {
		twice: [...counts.values()].filter((count) => count > 1).length,
		missing: expected.filter((number) => !counts.has(number)).length,
	};
}

/**
 * Returns how many bytes of live heap a process has kept for each call: how much the heap grew from the end of the first minute,
 * when everything is compiled and cached, to the end.
 *
 * @returns undefined if nothing was measured in between
 */
export function keptPerCall([, first, last]: MemorySample[]): number | undefined {
	if (!last || last.answered === first.answered) return undefined;
	return (last.liveHeap - first.liveHeap) / (last.answered - first.answered);
}

/** Returns the most entries on record at any time beyond those that the executions in progress need. */
export function mostStale(record: RecordSample[]): number {
	return Math.max(
		...record.map(({ entries, inProgress }) => entries - ENTRIES_PER_EXECUTION * inProgress),
	);
}

/**
 * Checks the bounds of this node. The HTTP Request node is only measured.
 *
 * @param isShort whether only bounds that make sense after a few seconds are checked
 */
export function checkLoadBounds(runs: LoadRun[], isShort: boolean): Bound[] {
	return runs
		.filter(({ sender }) => sender === THIS_NODE)
		.flatMap(({ system, calls, answered, twice, missing, memory, record }) => {
			const always = [
				createBound(`${system}: calls without an answer`, calls - answered, 0),
				createBound(`${system}: numbers requested twice`, twice, 0),
				createBound(`${system}: numbers never requested`, missing, 0),
			];
			if (isShort) return always;
			return [
				...always,
				...Object.entries(memory).map(([name, samples]) =>
					createBound(
						`${system}, ${name}: bytes of live heap kept per call`,
						keptPerCall(samples),
						MAX_KEPT_BYTES,
					),
				),
				createBound(
					`${system}: entries on record beside those in use, at most`,
					mostStale(record),
					MAX_ENTRIES,
				),
				createBound(
					`${system}: entries on record at the end`,
					record.at(-1)?.entries,
					system === ONE_N8N ? 0 : MAX_LEFT_BY_WORKERS,
				),
			];
		});
}

/** Creates the table of the README, in Markdown. */
export function createLoadTable(runs: LoadRun[]): string {
	const rows: Array<[name: string, cell: (run: LoadRun) => string]> = [
		['answered', ({ answered, calls }) => `${format(answered)} of ${format(calls)}`],
		[
			'other ends, by HTTP status',
			({ otherEnds }) =>
				Object.entries(otherEnds)
					.map(([end, count]) => `${end}: ${format(count)}`)
					.join('<br>'),
		],
		['numbers requested twice', ({ twice }) => format(twice)],
		['numbers never requested', ({ missing }) => format(missing)],
		['median, ms', ({ latency }) => format(latency.median)],
		['95th percentile, ms', ({ latency }) => format(latency.p95)],
		['99th percentile, ms', ({ latency }) => format(latency.p99)],
		['longest, ms', ({ latency }) => format(latency.max)],
		['CPU time of n8n per call, ms', (run) => format(cpuPerCall(run))],
		[
			'live heap after the first minute → at the end, MB',
			perProcess(([, first, last]) => `${mb(first?.liveHeap)} → ${mb(last?.liveHeap)}`),
		],
		['bytes of live heap kept per call', perProcess((samples) => format(keptPerCall(samples)))],
		[
			'resident memory after the first minute → at the end, MB',
			perProcess(([, first, last]) => `${mb(first?.resident)} → ${mb(last?.resident)}`),
		],
		[
			'entries on record, at most',
			({ record }) => format(Math.max(...record.map(({ entries }) => entries))),
		],
		['entries on record, at the end', ({ record }) => format(record.at(-1)?.entries)],
	];
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [
		line(['', ...runs.map(({ sender, system }) => `${sender}, ${system}`)]),
		line(['---', ...runs.map(() => '---:')]),
		...rows.map(([name, cell]) => line([name, ...runs.map(cell)])),
	].join('\n');
}

/** Of all processes together, without that of their start. */
function cpuPerCall({ memory, calls }: LoadRun): number {
	const used = Object.values(memory).map((samples) => samples.at(-1)!.cpuMs - samples[0].cpuMs);
	return used.reduce((sum, ms) => sum + ms, 0) / calls;
}

function perProcess(cell: (samples: MemorySample[]) => string): (run: LoadRun) => string {
	return ({ memory }) => {
		const processes = Object.entries(memory);
		if (processes.length === 1) return cell(processes[0][1]);
		return processes.map(([name, samples]) => `${name} ${cell(samples)}`).join('<br>');
	};
}

function format(value: number | undefined): string {
	return value === undefined ? '' : Math.round(value).toLocaleString('en');
}

function mb(bytes: number | undefined): string {
	return bytes === undefined ? '' : (bytes / 1e6).toFixed(1);
}
