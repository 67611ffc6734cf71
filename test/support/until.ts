/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests wait for what n8n does in its own time */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;

/** Waits for a condition to hold. The limit is the test's own. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await sleep(LOOK_AGAIN_MS);
}
