/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests wait for things that n8n does in the background */
import { setTimeout as sleep } from 'node:timers/promises';

const INTERVAL_MS = 200;

/** Waits until a condition holds. Only the test's own timeout limits the wait. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await sleep(INTERVAL_MS);
}
