import { createHash } from 'node:crypto';

import type { CallLoad } from './calls';
import { DECLARATIVE, type Contender } from './contenders';

/** A number of sends, with the latency of the service. */
export interface Load {
	items: number;
	/** In ms, for each request. */
	latency: number;
}

/** Calls of workflows of one item. */
export interface OneItemPlan {
	rounds: number;
	/** Calls of each contender before the measurements. */
	warmUp: number;
	loads: CallLoad[];
}

export interface Plan {
	loads: Load[];
	rounds: number;
	/** Sends of each contender before the measurements. */
	warmUp: number;
	oneItem: OneItemPlan;
	/** Sends for the measurement of the heap. */
	heapItems: number;
	heapRounds: number;
	/** Sends of files of 500 kB. */
	files: number;
	fileRounds: number;
	/** Sends for the CPU profile. */
	profileItems: number;
	/** The load in queue mode. */
	queue: { rounds: number; executions: number; sends: number };
}

export const FULL: Plan = {
	loads: [
		{ items: 100, latency: 0 },
		{ items: 1000, latency: 0 },
		{ items: 10_000, latency: 0 },
		{ items: 100, latency: 50 },
		{ items: 500, latency: 50 },
		{ items: 1000, latency: 50 },
	],
	rounds: 5,
	warmUp: 1000,
	oneItem: {
		rounds: 5,
		warmUp: 200,
		loads: [
			{ callers: 1, calls: 60 },
			{ callers: 5, calls: 150 },
			{ callers: 20, calls: 300 },
			{ calls: 100 },
		],
	},
	heapItems: 10_000,
	heapRounds: 3,
	files: 300,
	fileRounds: 5,
	profileItems: 2000,
	queue: { rounds: 2, executions: 40, sends: 50 },
};

/** Only shows that the bench works. */
export const SHORT: Plan = {
	loads: [
		{ items: 100, latency: 0 },
		{ items: 100, latency: 50 },
	],
	rounds: 1,
	warmUp: 10,
	oneItem: {
		rounds: 1,
		warmUp: 5,
		loads: [{ callers: 1, calls: 5 }, { callers: 20, calls: 40 }, { calls: 10 }],
	},
	heapItems: 100,
	heapRounds: 1,
	files: 5,
	fileRounds: 1,
	profileItems: 100,
	queue: { rounds: 1, executions: 10, sends: 5 },
};

/** Returns a different order for each round, because each contender affects the memory of n8n for the next one. */
export function shuffle<T extends Contender>(round: number, contenders: T[]): T[] {
	const sortKey = ({ name }: T) => createHash('sha256').update(`${round} ${name}`).digest('hex');
	return [...contenders].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** Contenders that would wait longer for the service are skipped: a smaller load shows as much. */
const MAX_WAIT_MS = 15_000;

/** Of the declarative node. n8n loses its database if a node keeps it busy for a minute, which 10,000 items can take. */
const MAX_DECLARATIVE_ITEMS = 1000;

export function isWorthMeasuring(
	{ items, latency }: Load,
	{ name, concurrency }: Contender,
): boolean {
	if (name === DECLARATIVE && items > MAX_DECLARATIVE_ITEMS) return false;
	return (items / concurrency) * latency <= MAX_WAIT_MS;
}
