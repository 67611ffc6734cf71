/* eslint-disable @n8n/community-nodes/no-restricted-globals, no-console -- it talks to the person at the terminal */
import Table from 'cli-table3';
import { Listr } from 'listr2';

import { installApart, installN8n } from '../../demo/n8n/install';
import { runJest, type JestRun } from './jestRun';
import { CORES, N8NS, type Core } from './list';

interface Row extends JestRun {
	what: string;
	tests: string;
}

void main();

/** Runs the package on all versions of n8n that it is made for, and prints what ran where. */
async function main(): Promise<void> {
	const rows: Row[] = [];
	const step = (what: string, tests: string, run: () => Promise<JestRun>) => ({
		title: `${what}: ${tests}`,
		task: async (_context: unknown, task: { title: string }) => {
			const result = await run();
			rows.push({ what, tests, ...result });
			task.title += ` – ${result.passed} passed`;
			if (result.failed > 0) throw new Error(`${task.title}, ${result.failed} failed`);
		},
	});
	await new Listr(
		[
			...CORES.map((core) =>
				step(nameOf(core), 'over the wire', async () => await runOnCore(core)),
			),
			...N8NS.map((version) =>
				step(`n8n ${version}`, 'in a real n8n', async () => await runOnN8n(version)),
			),
		],
		{ exitOnError: false, registerSignalListeners: false },
	).run();
	console.log(tableOf(rows));
	for (const { what, messages } of rows) {
		if (messages.length > 0) console.error(`\n${what}:\n${messages.join('\n')}`);
	}
	const isComplete = rows.length === CORES.length + N8NS.length;
	process.exit(isComplete && rows.every(({ failed }) => failed === 0) ? 0 : 1);
}

/** The node in n8n-core's own execution, request and poll code. */
async function runOnCore({ core, workflow }: Core): Promise<JestRun> {
	const folder = await installApart(`n8n-core-${core}`, {
		'n8n-core': core,
		'n8n-workflow': workflow,
	});
	return await runJest(
		`n8n-core-${core}`,
		[
			'--selectProjects',
			'wire',
			'--testPathPatterns',
			'test/(nodes|upgrades|versions)',
			// Some of these versions set timers that keep a process from its end.
			'--forceExit',
		],
		{
			TEST_N8N_CORE: folder,
			TEST_N8N_CORE_VERSION: core,
			TEST_N8N_WORKFLOW_VERSION: workflow,
			// For those whose dependencies are ES modules.
			NODE_OPTIONS: '--experimental-vm-modules',
		},
	);
}

/** The packed package in a whole n8n. */
async function runOnN8n(version: string): Promise<JestRun> {
	await installN8n(version);
	// The AI Agent of n8n 1 is another one, with no review step.
	const leftOut = version.startsWith('1.') ? ['--testPathIgnorePatterns', 'aiAgent'] : [];
	return await runJest(`n8n-${version}`, ['--selectProjects', 'n8n', '--runInBand', ...leftOut], {
		TEST_N8N_VERSION: version,
	});
}

function nameOf({ core, workflow }: Core): string {
	return `n8n-core ${core} (n8n-workflow ${workflow})`;
}

function tableOf(rows: Row[]): string {
	const table = new Table({
		head: [`Node.js ${process.versions.node}`, 'tests', 'passed', 'left out', 'failed'],
		colAligns: ['left', 'left', 'right', 'right', 'right'],
		style: { head: [], border: [] },
	});
	for (const { what, tests, passed, leftOut, failed } of rows) {
		table.push([what, tests, passed, leftOut, failed]);
	}
	return table.toString();
}
