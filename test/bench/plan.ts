import { createHash } from 'node:crypto';

import type { Contender } from './contenders';

/** As many sends, by a service that takes its time. */
export interface Load {
	items: number;
	/** ms that the service lets each request wait. */
	latency: number;
}

export interface Plan {
	loads: Load[];
	rounds: number;
	/** Sends of each contender before anything counts. */
	warmUp: number;
	/** Sends while the heap is measured. */
	heapItems: number;
	heapRounds: number;
	/** Sends while the CPU profile is taken. */
	profileItems: number;
	/** What queue mode is given, as often as `rounds` says. */
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
	heapItems: 10_000,
	heapRounds: 3,
	profileItems: 2000,
	queue: { rounds: 2, executions: 40, sends: 50 },
};

/** Shows that the bench works; its figures mean little. */
export const SHORT: Plan = {
	loads: [
		{ items: 100, latency: 0 },
		{ items: 100, latency: 50 },
	],
	rounds: 1,
	warmUp: 10,
	heapItems: 100,
	heapRounds: 1,
	profileItems: 100,
	queue: { rounds: 1, executions: 10, sends: 5 },
};

/** Another order in each round, because what one leaves behind in n8n's memory is what the next one begins with. */
export function inOrder(round: number, contenders: Contender[]): Contender[] {
	const placeOf = ({ name }: Contender) =>
		createHash('sha256').update(`${round} ${name}`).digest('hex');
	return [...contenders].sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** A contender that would wait longer than that for the service alone shows nothing that a smaller load does not. */
const LONGEST_WAIT_MS = 15_000;

export function isWorthIt({ items, latency }: Load, { concurrency }: Contender): boolean {
	return (items / concurrency) * latency <= LONGEST_WAIT_MS;
}
