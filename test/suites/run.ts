/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- it talks to the person at the terminal */
import { availableParallelism } from 'node:os';

import Table from 'cli-table3';
import { Listr, PRESET_TIMER } from 'listr2';

import { SUITES, type Suite } from './list';
import { runSuite, type SuiteRun } from './suiteRun';

/** One more than there are processors: while one suite computes, another mostly waits. */
const SIDE_BY_SIDE = availableParallelism() + 1;

void main();

/** Runs suites side by side, those first that are named first, and prints what came of each. */
async function main(): Promise<void> {
	const names = process.argv.slice(2);
	const unknown = names.filter((name) => !(name in SUITES));
	if (names.length === 0 || unknown.length > 0) {
		const which = unknown.length > 0 ? `There is no suite '${unknown.join("' or '")}'. ` : '';
		console.error(`${which}Name one or more of: ${Object.keys(SUITES).join(', ')}.`);
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
				if (!run.isGreen) throw new Error(`The log is ${run.logFile}`);
			},
		})),
		{
			concurrent: SIDE_BY_SIDE,
			exitOnError: false,
			collectErrors: true,
			rendererOptions: { timer: PRESET_TIMER },
			fallbackRendererOptions: { timer: PRESET_TIMER },
		},
	).run();

	for (const [{ name }, { isGreen, findings }] of runs) {
		if (!isGreen) console.error(`\n── ${name} ──\n${findings}`);
	}
	console.log(tableOf(suites, runs));
	const red = suites.filter((suite) => !runs.get(suite)?.isGreen);
	const sum = (count: 'passed' | 'failed') =>
		[...runs.values()].reduce((total, run) => total + (run[count] ?? 0), 0);
	if (red.length > 0) console.log(`Not green: ${red.map(({ name }) => name).join(', ')}`);
	console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
	process.exit(red.length > 0 ? 1 : 0);
}

function tableOf(suites: Suite[], runs: Map<Suite, SuiteRun>): string {
	const table = new Table({
		head: [`Node.js ${process.versions.node}`, 'passed', 'left out', 'failed', 'seconds'],
		colAligns: ['left', 'right', 'right', 'right', 'right'],
		style: { head: [], border: [] },
	});
	for (const suite of suites) {
		const { passed = '', leftOut = '', failed = '', seconds = '' } = runs.get(suite) ?? {};
		table.push([suite.name, passed, leftOut, failed, seconds]);
	}
	return table.toString();
}
