import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';

/** The nodes of sabotagedNodes.ts, and the suites of sabotage.jest.config.js that concern them. */
const SABOTAGED = {
	none: 'sends,trigger',
	sendsNothing: 'sends',
	saysUnknown: 'sends',
	sendsTwice: 'sends',
	emitsNothing: 'trigger',
};

/** What jest writes with `--json`. */
interface Report {
	testResults: Array<{ name: string; assertionResults: Array<{ status: string }> }>;
}

/** By file: how many tests fail against each node. */
type Failures = Record<string, Record<string, number>>;

void main();

/** Runs the tests of sends and of the trigger against sabotaged nodes: each must fail a test of each file that concerns it. */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-sabotage-'));
	const failures: Failures = {};
	// Together, because they mostly wait for time-outs.
	await Promise.all(
		Object.entries(SABOTAGED).map(async ([node, suites]) => {
			const file = join(folder, node);
			const config = join(__dirname, 'sabotage.jest.config.js');
			// What a test has begun may still wait when the test has ended.
			const args = ['--config', config, '--json', '--outputFile', file, '--silent', '--forceExit'];
			const env = { ...process.env, TEST_SABOTAGE: node, TEST_SABOTAGE_SUITES: suites };
			// It fails if a test does.
			await promisify(execFile)('jest', args, { env, maxBuffer: Infinity }).catch(() => {});
			const { testResults } = JSON.parse(await readFile(file, 'utf8')) as Report;
			for (const { name, assertionResults } of testResults) {
				const failed = assertionResults.filter(({ status }) => status === 'failed').length;
				(failures[relative(join(__dirname, '..'), name)] ??= {})[node] = failed;
			}
		}),
	).finally(async () => await rm(folder, { recursive: true }));
	console.table(failures);
	const wrong = Object.entries(failures).flatMap(([file, counts]) =>
		Object.entries(counts)
			.filter(([node, failed]) => (node === 'none') !== (failed === 0))
			.map(([node]) => `${file}: ${node}`),
	);
	const finding = 'A test fails against the whole node, or no test notices a sabotaged one:';
	if (wrong.length > 0) console.log(`${finding}\n${wrong.join('\n')}`);
	process.exit(wrong.length === 0 ? 0 : 1);
}
