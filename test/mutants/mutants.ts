import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';

import { EXCEPTIONS } from './exceptions';

const ROOT = join(__dirname, '..');

/** The nodes of crippled.ts, and the suites of jest.config.js that concern them. */
const CRIPPLED = {
	sendsNothing: 'sends',
	saysUnknown: 'sends',
	sendsTwice: 'sends',
	emitsNothing: 'trigger',
} as const;
const NAMES = Object.keys(CRIPPLED) as Array<keyof typeof CRIPPLED>;

interface Test {
	file: string;
	name: string;
	/** Whether it failed, against each node that concerns it and against the whole one. */
	red: Partial<Record<keyof typeof CRIPPLED | 'none', boolean>>;
	/** Whether it took too long, which on a busy machine says nothing. */
	isLate?: boolean;
}

/** What jest writes with `--json`. */
interface Report {
	testResults: Array<{
		name: string;
		assertionResults: Array<{ fullName: string; status: string; failureMessages: string[] }>;
	}>;
}

void main();

/**
 * Runs the tests of sends and of the trigger against crippled nodes. A test that none of them fails asserts nothing about a
 * send or an emitted message: that must be one of the exceptions.
 */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-mutants-'));
	const tests = new Map<string, Test>();
	const run = async (crippled: keyof Test['red'], suites: string) => {
		const file = join(folder, crippled);
		const config = join(__dirname, 'jest.config.js');
		// What a test has begun may still wait when the test has ended.
		const args = ['--config', config, '--json', '--outputFile', file, '--silent', '--forceExit'];
		const env = { ...process.env, TEST_CRIPPLED: crippled, TEST_CRIPPLED_SUITES: suites };
		// It fails if a test does.
		await promisify(execFile)('jest', args, { env, maxBuffer: Infinity }).catch(() => {});
		addResults(tests, crippled, JSON.parse(await readFile(file, 'utf8')) as Report);
		console.log(`Done: ${crippled}`);
	};
	// Together, because they mostly wait for time-outs.
	await Promise.all([
		run('none', 'sends,trigger'),
		...NAMES.map(async (name) => await run(name, CRIPPLED[name])),
	]).finally(async () => await rm(folder, { recursive: true }));
	process.exit(report([...tests.values()]) ? 0 : 1);
}

function addResults(
	tests: Map<string, Test>,
	crippled: keyof Test['red'],
	{ testResults }: Report,
): void {
	for (const { name: path, assertionResults } of testResults) {
		const file = relative(ROOT, path).split(sep).join('/');
		for (const [i, result] of assertionResults.entries()) {
			const { fullName: name, status, failureMessages } = result;
			if (status === 'pending') continue;
			// Several tests may have the same name.
			const key = `${file} ${i}`;
			const test = tests.get(key) ?? { file, name, red: {} };
			test.red[crippled] = status === 'failed';
			test.isLate ||= failureMessages.some((text) => text.includes('Exceeded timeout'));
			tests.set(key, test);
		}
	}
}

/** @returns whether all is well */
function report(tests: Test[]): boolean {
	const green = tests.filter(({ red }) => !NAMES.some((name) => red[name]));
	console.table(
		[...new Set(tests.map(({ file }) => file))].map((file) => {
			const ofFile = (some: Test[]) => some.filter((test) => test.file === file);
			const counts = NAMES.map((name) => [name, ofFile(tests).filter((t) => t.red[name]).length]);
			return {
				file,
				tests: ofFile(tests).length,
				...(Object.fromEntries(counts) as Record<string, number>),
				'green against all': ofFile(green).length,
			};
		}),
	);
	const entries = Object.values(EXCEPTIONS).flatMap((files) =>
		Object.entries(files).flatMap(([file, parts]) => parts.map((part) => ({ file, part }))),
	);
	const covers = (entry: (typeof entries)[number], { file, name }: Test) =>
		file.endsWith(`/${entry.file}`) && name.includes(entry.part);
	const problems = {
		'These tests also fail against the whole node:': tests
			.filter(({ red }) => red.none !== false)
			.map(({ file, name }) => `${file}: ${name}`),
		'These tests stay green against all. Let them assert what is sent or emitted, or add them to exceptions.ts:':
			green
				.filter((test) => !entries.some((entry) => covers(entry, test)))
				.map(({ file, name }) => `${file}: ${name}`),
		'These exceptions cover no test that stays green:': entries
			.filter(
				(entry) =>
					!tests.some((test) => covers(entry, test) && (green.includes(test) || test.isLate)),
			)
			.map(({ file, part }) => `${file}: ${part}`),
	};
	for (const [title, lines] of Object.entries(problems)) {
		if (lines.length > 0) console.log(`\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`);
	}
	return Object.values(problems).every((lines) => lines.length === 0);
}
