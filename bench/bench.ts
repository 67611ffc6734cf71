import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { rejectWhenInterrupted } from '../tools/interruption';
import { compare } from './comparison';
import type { CleanUp } from './harness';

const { values: flags } = parseArgs({
	options: {
		short: { type: 'boolean', default: false },
		/** Measures the worst inputs instead. */
		inputs: { type: 'boolean', default: false },
	},
});

void main();

async function main(): Promise<void> {
	const cleanUps: CleanUp[] = [];
	const interrupted = rejectWhenInterrupted();
	let exitCode = 1;
	try {
		const measured = flags.inputs ? runWorstInputs() : compare(flags.short, cleanUps);
		exitCode = (await Promise.race([interrupted, measured])) ? 0 : 1;
	} catch (error) {
		console.error(`\nThe bench failed. ${(error as Error).message}`);
	} finally {
		for (const cleanUp of cleanUps.toReversed()) await cleanUp();
	}
	process.exit(exitCode);
}

async function runWorstInputs(): Promise<boolean> {
	process.env.N8N_LOG_LEVEL = 'silent';
	process.env.N8N_USER_FOLDER = join(__dirname, '../.local/n8n-core');
	// Or `X.node` would be found as the codex file `X.node.json`, not as `X.node.ts`.
	const loaders: Partial<NodeJS.RequireExtensions> = require.extensions;
	const loadJson = loaders['.json'];
	delete loaders['.json'];
	loaders['.json'] = loadJson;
	const { measureWorstInputs } = await import('./worstInputs.js');
	return await measureWorstInputs();
}
