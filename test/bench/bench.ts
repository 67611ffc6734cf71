/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- the bench runs n8n and prints to the terminal */
import { parseArgs } from 'node:util';

import { rejectWhenInterrupted } from '../support/interruption';
import { compare } from './comparison';
import { runLoad } from './load/load';
import { runWeek } from './load/week';
import type { CleanUp } from './setup';

const { values: flags } = parseArgs({
	options: {
		load: { type: 'boolean', default: false },
		week: { type: 'boolean', default: false },
		short: { type: 'boolean', default: false },
	},
});

void main();

async function main(): Promise<void> {
	const bench = flags.load ? runLoad : flags.week ? runWeek : compare;
	const cleanUps: CleanUp[] = [];
	const interrupted = rejectWhenInterrupted();
	let exitCode = 1;
	try {
		exitCode = (await Promise.race([interrupted, bench(flags.short, cleanUps)])) ? 0 : 1;
	} catch (error) {
		console.error(`\nThe bench failed. ${(error as Error).message}`);
	} finally {
		for (const cleanUp of cleanUps.toReversed()) await cleanUp();
	}
	process.exit(exitCode);
}
