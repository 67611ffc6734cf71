/* eslint-disable @n8n/community-nodes/no-restricted-imports -- it keeps time */
import { setTimeout as sleep } from 'node:timers/promises';

import type { Call } from './loadFigures';

/** How many calls to make. */
export interface Rate {
	perSecond: number;
	seconds: number;
}

/** The calls so far. They change while calls are made. */
export interface Progress {
	/** Those that have ended. */
	calls: Call[];
	inProgress: number;
}

/**
 * Makes calls at a steady rate, whether or not earlier ones have ended, as the people do who cause webhooks. Each is measured from
 * the time at which it was due, so a delay of its start counts as well.
 *
 * @param makeCall returns an HTTP status; gets a number, from 0
 * @returns when all calls have ended
 */
export async function callAtRate(
	{ perSecond, seconds }: Rate,
	progress: Progress,
	makeCall: (index: number) => Promise<number>,
): Promise<void> {
	const start = performance.now();
	const makeAndMeasure = async (index: number, due: number) => {
		progress.inProgress++;
		const status = await makeCall(index).catch(() => undefined);
		progress.inProgress--;
		progress.calls.push({ status, ms: performance.now() - due });
	};
	const pending: Array<Promise<void>> = [];
	for (let i = 0; i < perSecond * seconds; i++) {
		const due = start + (i * 1000) / perSecond;
		const wait = due - performance.now();
		if (wait > 0) await sleep(wait);
		pending.push(makeAndMeasure(i, due));
	}
	await Promise.all(pending);
}
