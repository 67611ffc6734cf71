import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 200;
const LIMIT_MS = 60_000;
const MAX_SHOWN_CHARS = 300;

/** For what a real n8n does in seconds. A machine ten times slower may need minutes. */
export const N8N_LIMIT_MS = 300_000;

/** Notes a value for the error, and returns it. */
export type Saw = <T>(seen: T) => T;

/**
 * Waits until a condition holds.
 *
 * The limit is no bound on performance. It keeps a broken wait from being silent until Jest's timeout, and counts checks of
 * the condition instead of reading the clock: a machine that is busy or was suspended gets more time.
 *
 * @param what completes "Waited 60 s for …"
 * @param condition passes what it looks at through `saw`; what it throws ends the wait at once
 * @throws Error that says what it waited for and what it saw last
 */
export async function waitUntil(
	what: string,
	condition: (saw: Saw) => unknown,
	limitMs = LIMIT_MS,
): Promise<void> {
	let lastSaw = '';
	const saw: Saw = (seen) => {
		lastSaw = `; last saw: ${show(seen)}`;
		return seen;
	};
	for (let waitedMs = 0; !(await condition(saw)); waitedMs += INTERVAL_MS) {
		if (waitedMs >= limitMs) throw new Error(`Waited ${limitMs / 1000} s for ${what}${lastSaw}`);
		await sleep(INTERVAL_MS);
	}
}

/** The end of it: what grows is shown with the latest. */
function show(seen: unknown): string {
	const json = JSON.stringify(seen) ?? String(seen);
	return json.length > MAX_SHOWN_CHARS ? `…${json.slice(-MAX_SHOWN_CHARS)}` : json;
}
