import { BY_LINK, BY_URL, DECLARATIVE, FLOOR, HTTP_REQUEST, thisNode } from './contenders';
import type { PeakMemory } from './peakMemory';
import type { Load } from './plan';

/** The measurements of one run of a contender. */
export interface Measurement extends PeakMemory {
	/** For all items. For nodes, the time that n8n itself measures. */
	ms: number;
	/** Connections opened to the service. */
	connections: number;
}

/** All runs of one contender under one load. */
export interface Series extends Load {
	contender: string;
	rounds: Measurement[];
	/** The median of each figure, independent of the others. */
	median: Measurement;
}

export interface Figures {
	series: Series[];
	/** Of sends of files. */
	files: Series[];
	/** Median ms of executions with one item, by contender. */
	oneItem: Record<string, number>;
	/** Bytes of live heap per item during the last of many requests, excluding the output. */
	keptPerItem: number;
	/** ms to `require` the package, excluding n8n-workflow. */
	loading: number;
	/** Executions per second in queue mode, by number of workers. */
	perSecond: Record<number, number>;
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function createSeries(load: Load, contender: string, rounds: Measurement[]): Series {
	const peak = (name: keyof PeakMemory) => {
		const peaks = rounds.flatMap((round) => round[name] ?? []);
		return peaks.length > 0 ? median(peaks) : undefined;
	};
	return {
		...load,
		contender,
		rounds,
		median: {
			ms: median(rounds.map(({ ms }) => ms)),
			peakMemory: peak('peakMemory'),
			wholePeakMemory: peak('wholePeakMemory'),
			connections: median(rounds.map(({ connections }) => connections)),
		},
	};
}

/** A limit that the package must not exceed. */
export interface Bound {
	what: string;
	/** Undefined if it was not measured, e.g. in a short run. */
	measured?: number;
	atMost: number;
	holds?: boolean;
}

export function createBound(what: string, measured: number | undefined, atMost: number): Bound {
	return { what, measured, atMost, holds: measured === undefined ? undefined : measured <= atMost };
}

/** Checks the bounds of the package. Each is a ratio of two medians of the same run, unless its name has a unit. */
export function checkBounds({
	series,
	files,
	oneItem,
	keptPerItem,
	loading,
	perSecond,
}: Figures): Bound[] {
	const find = (contender: string, items: number, latency: number) =>
		series.find(
			(one) => one.contender === contender && one.items === items && one.latency === latency,
		)?.median;
	const ratio = (a?: number, b?: number) =>
		a === undefined || b === undefined ? undefined : a / b;
	const time = (contender: string, items: number, latency = 0) =>
		find(contender, items, latency)?.ms;
	const memory = (contender: string) => find(contender, 10_000, 0)?.peakMemory;
	const one = thisNode(1);
	const fileMemory = (contender: string) =>
		files.find((series) => series.contender === contender)?.median.wholePeakMemory;

	const bounds: Array<[what: string, measured: number | undefined, atMost: number]> = [
		[
			'1,000 sends, no latency, against the HTTP Request node',
			ratio(time(one, 1000), time(HTTP_REQUEST, 1000)),
			0.5,
		],
		['the same, against a declarative node', ratio(time(one, 1000), time(DECLARATIVE, 1000)), 0.4],
		[
			'500 sends, 50 ms latency, 50 at once, against the HTTP Request node',
			ratio(time(thisNode(50), 500, 50), time(HTTP_REQUEST, 500, 50)),
			0.65,
		],
		[
			"1,000 sends, no latency, against the platform's floor",
			ratio(time(one, 1000), time(FLOOR, 1000)),
			1.2,
		],
		['10,000 sends against 1,000', ratio(time(one, 10_000), time(one, 1000)), 11],
		[
			'10,000 sends, no latency, against the HTTP Request node',
			ratio(time(one, 10_000), time(HTTP_REQUEST, 10_000)),
			0.45,
		],
		[
			'peak memory of 10,000 sends, against the HTTP Request node',
			ratio(memory(one), memory(HTTP_REQUEST)),
			0.9,
		],
		[
			'peak memory of n8n with 300 files by link, against 300 URLs',
			ratio(fileMemory(BY_LINK), fileMemory(BY_URL)),
			1.2,
		],
		// The log of sends is written to n8n's database in each execution, however few items it has.
		[
			"ms of one item in one execution beyond the platform's floor",
			one in oneItem ? oneItem[one] - oneItem[FLOOR] : undefined,
			15,
		],
		['bytes kept for each item beside the output', keptPerItem, 200],
		['ms to load the package beyond n8n-workflow', loading, 25],
		// Two workers must run at least 1.7 times as many executions as one.
		['time of two workers in queue mode, against one', ratio(perSecond[1], perSecond[2]), 1 / 1.7],
	];
	return bounds.map(([what, measured, atMost]) => createBound(what, measured, atMost));
}
