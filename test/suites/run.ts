/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- it prints to the terminal */
import { availableParallelism } from 'node:os';

import Table from 'cli-table3';
import { Listr, PRESET_TIMER } from 'listr2';

import { SUITES, type Suite } from './list';
import { runSuite, type SuiteRun } from './suiteRun';

/** One more than the number of processors: suites often wait. */
const MAX_CONCURRENCY = availableParallelism() + 1;

void main();

/** Runs suites in parallel, starting them in the given order, and prints their results. */
async function main(): Promise<void> {
	const names = process.argv.slice(2);
	const unknown = names.filter((name) => !(name in SUITES));
	if (names.length === 0 || unknown.length > 0) {
		const problem = unknown.length > 0 ? `Unknown: ${unknown.join(', ')}. ` : '';
		console.error(`${problem}Choose from: ${Object.keys(SUITES).join(', ')}.`);
		process.exit(1);
	}
	const suites = names.flatMap((name) => SUITES[name]);
	const runs = new Map<Suite, SuiteRun>();
	await new Listr(
		suites.map((suite) => ({
			title: suite.name,
			task: async (_context: unknown, task: { output: string }) => {
				const run = await runSuite(suite, (line) => (task.output = line));
				runs.set(suite, run);
				if (!run.isSuccessful) throw new Error(`See ${run.logFile}`);
			},
		})),
		{
			concurrent: MAX_CONCURRENCY,
			exitOnError: false,
			collectErrors: true,
			rendererOptions: { timer: PRESET_TIMER },
			fallbackRendererOptions: { timer: PRESET_TIMER },
		},
	).run();

	for (const [{ name }, { isSuccessful, errors }] of runs) {
		if (!isSuccessful) console.error(`\n── ${name} ──\n${errors}`);
	}
	console.log(createTable(suites, runs));
	const failed = suites.filter((suite) => !runs.get(suite)?.isSuccessful);
	const sum = (count: 'passed' | 'failed') =>
		[...runs.values()].reduce((total, run) => total + (run[count] ?? 0), 0);
	if (failed.length > 0) console.log(`Not green: ${failed.map(({ name }) => name).join(', ')}`);
	console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
	process.exit(failed.length > 0 ? 1 : 0);
}

function createTable(suites: Suite[], runs: Map<Suite, SuiteRun>): string {
	const table = new Table({
		head: [`Node.js ${process.versions.node}`, 'passed', 'left out', 'failed', 'seconds'],
		colAligns: ['left', 'right', 'right', 'right', 'right'],
		style: { head: [], border: [] },
	});
	for (const suite of suites) {
		const { passed = '', skipped = '', failed = '', seconds = '' } = runs.get(suite) ?? {};
		table.push([suite.name, passed, skipped, failed, seconds]);
	}
	return table.toString();
}
