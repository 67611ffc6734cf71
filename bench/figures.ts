import { DECLARATIVE, FLOOR, HTTP_REQUEST, THIS_NODE, thisNode } from './contenders';
import type { CallLoadName, LoadName } from './plan';

/** Of a list. NaN for what was not measured. */
export interface ListFigures {
	/** The time that n8n itself measures for the node, for all items. */
	ms: number;
	/** Above the idle process, in bytes. */
	peakMemory: number;
}

/** Of calls of a webhook that each send one image. */
export interface CallFigures {
	perSecond: number;
	/** From the call to its answer. */
	ms: number;
}

/** The medians of one contender under one load. */
export interface Series<L extends string, F> {
	load: L;
	contender: string;
	median: F;
}

export interface Figures {
	lists: Array<Series<LoadName, ListFigures>>;
	calls: Array<Series<CallLoadName, CallFigures>>;
	/** Bytes of live heap per item during the last of many requests, excluding the output. */
	keptPerItem: number;
}

export function median(values: number[]): number {
	const sorted = [...values].sort((a, b) => a - b);
	const middle = Math.floor(sorted.length / 2);
	return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Returns the median of each figure, independent of the others. */
export function medianOf<F extends object>(rounds: F[]): F {
	const names = Object.keys(rounds[0]) as Array<keyof F>;
	return Object.fromEntries(
		names.map((name) => [name, median(rounds.map((round) => Number(round[name])))]),
	) as F;
}

/** A limit that the package must not exceed. */
export interface Bound {
	what: string;
	/** NaN, which holds nowhere, if it was not measured. */
	measured: number;
	atMost: number;
	holds: boolean;
}

/** Checks the bounds of the package. Each is a ratio of two medians of the same run, unless its name has a unit. */
export function checkBounds({ lists, calls, keptPerItem }: Figures): Bound[] {
	const figure = (name: keyof ListFigures, load: LoadName, contender: string) =>
		lists.find((one) => one.load === load && one.contender === contender)?.median[name] ?? NaN;
	const time = (load: LoadName, contender: string) => figure('ms', load, contender);
	const memory = (contender: string) => figure('peakMemory', 'longList', contender);
	const perSecond = (contender: string) =>
		calls.find((one) => one.load === '20 callers' && one.contender === contender)?.median
			.perSecond ?? NaN;
	const one = thisNode(1);

	const against = (other: string, load: LoadName = 'list', own = one) =>
		time(load, own) / time(load, other);

	const bounds: Array<[what: string, measured: number, atMost: number]> = [
		['1,000 sends against HTTP Request', against(HTTP_REQUEST), 0.5],
		['1,000 sends against the declarative node', against(DECLARATIVE), 0.4],
		["1,000 sends against the platform's floor", against(FLOOR), 1.2],
		[
			'500 sends at 50 ms, 50 at once, against HTTP Request',
			against(HTTP_REQUEST, 'slowList', thisNode(50)),
			0.65,
		],
		['10,000 sends against 1,000', time('longList', one) / time('list', one), 11],
		['peak memory of 10,000 sends against HTTP Request', memory(one) / memory(HTTP_REQUEST), 0.9],
		['bytes kept for each item beside the output', keptPerItem, 200],
		// Usually 0.83 to 0.92; medians differ by some percent from one bench to the next.
		[
			'time of 20 callers against HTTP Request',
			perSecond(HTTP_REQUEST) / perSecond(THIS_NODE),
			0.95,
		],
	];
	return bounds.map(([what, measured, atMost]) => ({
		what,
		measured,
		atMost,
		holds: measured <= atMost,
	}));
}
