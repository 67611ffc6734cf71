/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- the bench runs n8n and prints to the terminal */
import { parseArgs } from 'node:util';

import { rejectWhenInterrupted } from '../support/interruption';
import { compare } from './comparison';
import type { CleanUp } from './setup';

const { values: flags } = parseArgs({
	options: {
		short: { type: 'boolean', default: false },
	},
});

void main();

async function main(): Promise<void> {
	const cleanUps: CleanUp[] = [];
	const interrupted = rejectWhenInterrupted();
	let exitCode = 1;
	try {
		exitCode = (await Promise.race([interrupted, compare(flags.short, cleanUps)])) ? 0 : 1;
	} catch (error) {
		console.error(`\nThe bench failed. ${(error as Error).message}`);
	} finally {
		for (const cleanUp of cleanUps.toReversed()) await cleanUp();
	}
	process.exit(exitCode);
}
