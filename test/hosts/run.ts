import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { Listr } from 'listr2';

import { HOSTS } from './hosts';
import { createSoakTable, listFaults } from './report';
import type { SoakResult } from './soak';

const { values: flags } = parseArgs({
	options: { days: { type: 'string', default: '7' }, seeds: { type: 'string', default: '3' } },
});
const days = Number(flags.days);
const seeds = Array.from({ length: Number(flags.seeds) }, (_, i) => i + 1);

void main();

/** Plays the days at every host with each seed, and writes the table to test/soak.md. */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-soak-'));
	const results: Record<string, SoakResult[]> = {};
	const tasks = Object.keys(HOSTS).map((host) => ({
		title: host,
		task: async () => {
			results[host] = await soakInProcess(host, join(folder, host));
		},
	}));
	await new Listr(tasks, { concurrent: availableParallelism(), exitOnError: false })
		.run()
		.finally(async () => await rm(folder, { recursive: true }));
	const table = createSoakTable(results, { days, seeds: seeds.length });
	await writeFile(join(__dirname, '../soak.md'), table);
	console.log(table);
	const runs = Object.entries(results).flatMap(([host, all]) =>
		all.map((run) => [host, run] as const),
	);
	const isGood = runs.every(([host, run]) => listFaults(HOSTS[host], run).length === 0);
	process.exit(isGood && runs.length === tasks.length * seeds.length ? 0 : 1);
}

/** Plays one host with each seed, as in CI but for longer. */
async function soakInProcess(host: string, file: string): Promise<SoakResult[]> {
	const args = ['--selectProjects', 'wire', '--testPathPatterns', 'test/hosts/soak'];
	await promisify(execFile)('jest', [...args, '--testNamePattern', `at the host ${host}:`], {
		env: {
			...process.env,
			TEST_SOAK_MINUTES: String(days * 1440),
			TEST_SOAK_SEEDS: String(seeds),
			TEST_SOAK_RESULT: file,
		},
	}).catch(() => {}); // The table shows what went wrong.
	return JSON.parse(await readFile(file, 'utf8')) as SoakResult[];
}
