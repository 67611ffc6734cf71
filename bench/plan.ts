import { createHash } from 'node:crypto';

/** A number of sends, with the latency of the service. */
export interface Load {
	items: number;
	/** In ms, for each request. */
	latency: number;
}

export type LoadName = 'list' | 'longList' | 'slow' | 'slowList';

/** Calls of a webhook that sends one image. Each caller calls again as soon as it is answered. */
export interface CallLoad {
	callers: number;
	calls: number;
}

export type CallLoadName = '1 caller' | '20 callers';

export interface Plan {
	rounds: number;
	lists: Record<LoadName, Load>;
	/** Of each contender, before the measurements. */
	listWarmUp: Load;
	calls: Record<CallLoadName, CallLoad>;
	callWarmUp: CallLoad;
	/** Sends for the measurement of the heap. */
	heapItems: number;
	heapRounds: number;
}

export const FULL: Plan = {
	rounds: 5,
	lists: {
		list: { items: 1000, latency: 0 },
		longList: { items: 10_000, latency: 0 },
		slow: { items: 100, latency: 50 },
		slowList: { items: 500, latency: 50 },
	},
	listWarmUp: { items: 1000, latency: 0 },
	calls: { '1 caller': { callers: 1, calls: 60 }, '20 callers': { callers: 20, calls: 300 } },
	callWarmUp: { callers: 5, calls: 200 },
	heapItems: 10_000,
	heapRounds: 3,
};

/** Only shows that the bench works. */
export const SHORT: Plan = {
	rounds: 1,
	lists: {
		list: { items: 50, latency: 0 },
		longList: { items: 100, latency: 0 },
		slow: { items: 10, latency: 50 },
		slowList: { items: 50, latency: 50 },
	},
	listWarmUp: { items: 10, latency: 0 },
	calls: { '1 caller': { callers: 1, calls: 5 }, '20 callers': { callers: 20, calls: 40 } },
	callWarmUp: { callers: 5, calls: 5 },
	heapItems: 100,
	heapRounds: 1,
};

/** Returns a different order for each round, because each contender affects the memory of n8n for the next one. */
export function shuffle<T extends { contender: { name: string } }>(round: number, turns: T[]): T[] {
	const sortKey = ({ contender: { name } }: T) =>
		createHash('sha256').update(`${round} ${name}`).digest('hex');
	return [...turns].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}
