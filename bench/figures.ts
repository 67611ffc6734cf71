import {
	BY_LINK,
	BY_URL,
	DECLARATIVE,
	FLOOR,
	HTTP_REQUEST,
	THIS_NODE,
	thisNode,
} from './contenders';
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
	/** Of workflows of one item, by the way in which n8n runs. */
	oneItem: Record<string, OneItemFigures>;
	/** Bytes of live heap per item during the last of many requests, excluding the output. */
	keptPerItem: number;
	/** ms to `require` the package, excluding n8n-workflow. */
	loading: number;
	/** Executions per second in queue mode, by number of workers. */
	perSecond: Record<number, number>;
}

/** Figures of calls of a webhook that each send one image. */
export interface CallFigures {
	perSecond: number;
	/** ms */
	median: number;
	/** The 95th percentile, in ms. */
	p95: number;
	/** CPU time of all processes of n8n for each call, in ms. */
	cpu: number;
}

export interface OneItemFigures {
	/** By load, then by contender. */
	byLoad: Record<string, Record<string, CallFigures>>;
	/** Keys on record ten seconds after the end, without the IDs of "Send Once per ID". */
	keysLeft: number;
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

	const bounds: UncheckedBound[] = [
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
		['bytes kept for each item beside the output', keptPerItem, 200],
		['ms to load the package beyond n8n-workflow', loading, 25],
		// Two workers must run at least 1.7 times as many executions as one.
		['time of two workers in queue mode, against one', ratio(perSecond[1], perSecond[2]), 1 / 1.7],
		...Object.entries(oneItem).flatMap(([mode, figures]) => listOneItemBounds(mode, figures)),
	];
	return bounds.map(([what, measured, atMost]) => createBound(what, measured, atMost));
}

type UncheckedBound = [what: string, measured: number | undefined, atMost: number];

function listOneItemBounds(mode: string, { byLoad, keysLeft }: OneItemFigures): UncheckedBound[] {
	const ratio = (load: string, of: (figures: CallFigures) => number) => {
		const { [THIS_NODE]: own, [HTTP_REQUEST]: other } = byLoad[load] ?? {};
		return own && other ? of(own) / of(other) : undefined;
	};
	const title = `${mode}, one item, against the HTTP Request node:`;
	return [
		[`${title} time of a call`, ratio('1 caller', ({ median: ms }) => ms), 1.1],
		[`${title} CPU time of a call`, ratio('1 caller', ({ cpu }) => cpu), 1],
		// Usually 0.83 to 0.92; medians differ by some percent from one bench to the next.
		[`${title} time of 20 callers`, ratio('20 callers', ({ perSecond }) => 1 / perSecond), 0.95],
		[`${title} 95th percentile of 20 callers`, ratio('20 callers', ({ p95 }) => p95), 1.1],
		[`${mode}, one item: keys left on record`, keysLeft, 0],
	];
}
