import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';

import type { ConcurrentlyCommandInput } from 'concurrently';

import { N8N_CORES, OTHER_N8N_VERSIONS } from '../tools/n8n/versions';

const isWindows = process.platform === 'win32';

const CORES = N8N_CORES.slice(0, -1).map(({ core }) => core);

/**
 * The tests in a real n8n that depend on what n8n 1 does otherwise: how it installs a package, what a retry inherits, what
 * survives a crash, and when a trigger polls.
 */
const DIFFERENT_IN_EACH = '--testPathPatterns "/(package|retries|crash|trigger)\\.e2e"';

const jest = (project: string, args = '') => `jest --selectProjects ${project} --ci ${args}`;

/** By the name of the suite: commands that run tests or checks. */
const SUITES: Record<string, ConcurrentlyCommandInput[]> = {
	lint: [
		{ name: 'rules', command: 'eslint --config tools/eslint.config.mjs .' },
		{ name: 'types', command: 'tsc --incremental --tsBuildInfoFile .local/types.tsbuildinfo' },
		{ name: 'types of the phone page', command: 'tsc --project tools/embeddedService/page' },
		{ name: 'types of the split view', command: 'tsc --project tools/stack/page' },
		{ name: 'imports', command: 'depcruise credentials nodes tools demo test bench' },
		{
			name: 'format',
			command: 'prettier --check --cache --cache-location .local/prettier --log-level warn .',
		},
	],
	unit: [{ name: 'unit', command: jest('unit') }],
	// Some of its files mostly wait for timers.
	wire: [{ name: 'wire', command: jest('wire', `--maxWorkers=${availableParallelism() + 2}`) }],
	n8n: [{ name: 'n8n', command: jest('n8n') }],
	queue: [{ name: 'queue', command: jest('queue', '--runInBand') }],
	browser: [{ name: 'browser', command: jest('browser', '--runInBand') }],
	// The oldest ones.
	versions: [onN8n(OTHER_N8N_VERSIONS[0], DIFFERENT_IN_EACH), onCore(CORES[0])],
	release: [{ name: 'release', command: 'node --import tsx test/release/check.ts' }],
};

/** What nobody waits for by day. */
const NIGHT: ConcurrentlyCommandInput[] = [
	...OTHER_N8N_VERSIONS.map((version) => onN8n(version)),
	...CORES.map(onCore),
	{ name: 'bench', command: 'node --import tsx bench/bench.ts --short' },
	{ name: 'sabotage', command: 'node --import tsx test/mutation/sabotage.ts' },
	// One small file, so that mutation runs cannot break unseen.
	{
		name: 'mutation',
		command:
			'stryker run test/mutation/stryker.config.js -m nodes/MessagingAccount/sends/throttle.ts',
	},
];

SUITES.all = [
	...Object.entries(SUITES).flatMap(([name, suite]) => (name === 'versions' ? [] : suite)),
	...NIGHT,
];

void main(process.argv.slice(2));

/**
 * Runs the suites of these names in parallel, one more at a time than there are processors: suites often wait. With words, it runs
 * only the tests whose path has one of them, whatever their suite.
 *
 * @param args e.g. `['wire', 'unit']`, or `['wire', 'unit', 'phoneNumber']` for test/…/phoneNumber.test.ts
 */
async function main(args: string[]): Promise<void> {
	const names = args.filter((arg) => Object.hasOwn(SUITES, arg));
	const words = args.filter((arg) => !names.includes(arg));
	if (words.length > 0) {
		const jest = spawn('jest', words.flatMap(toPattern), { stdio: 'inherit', shell: isWindows });
		jest.on('exit', (code) => process.exit(code ?? 1));
		return;
	}
	if (names.length === 0) {
		console.error(`Name a part of a test's path, or suites: ${Object.keys(SUITES).join(', ')}.`);
		process.exit(1);
	}
	if (names.includes('all')) process.env.TEST_SIZE = 'night';
	// Imported dynamically, because it is an ES module.
	const { concurrently } = await import('concurrently');
	const { result } = concurrently(
		names.flatMap((name) => SUITES[name]),
		{ maxProcesses: availableParallelism() + 1, prefix: 'name', timings: true },
	);
	const failed = await result.then(
		() => [],
		(ended: Awaited<typeof result>) => ended.filter(({ exitCode }) => exitCode !== 0),
	);
	if (failed.length === 0) return;
	console.error(`Not green: ${failed.map(({ command: { name } }) => name).join(', ')}`);
	process.exit(1);
}

/** Also takes a path, as the shell completes it. Only below the folder test: the path of the project may have the word, too. */
function toPattern(word: string): string[] {
	const inTest = word.replaceAll('\\', '/').replace(/^(\.\/)?test\//, '');
	return ['--testPathPatterns', `./test/.*${inTest}`];
}

/** Runs the packed package in another version of n8n, in all tests unless arguments of Jest select some. */
function onN8n(version: string, selection = ''): ConcurrentlyCommandInput {
	// The AI Agent of n8n 1 differs and has no review step, and n8n 1 has no scheduler for polls.
	const excluded = version.startsWith('1.') ? '--testPathIgnorePatterns aiAgent scheduler' : '';
	return {
		name: `n8n ${version}`,
		command: jest('n8n', `${excluded} ${selection}`),
		env: { TEST_N8N_VERSION: version },
	};
}

/** Runs the nodes in the execution, request and poll code of another version of n8n-core. */
function onCore(core: string): ConcurrentlyCommandInput {
	return {
		name: `n8n-core ${core}`,
		// Some of these versions set timers that keep the process running.
		command: jest('wire', '--testPathPatterns "test/(nodes|versions)" --forceExit'),
		// The option is for versions with ES modules among their dependencies.
		env: { TEST_N8N_CORE: core, NODE_OPTIONS: '--experimental-vm-modules' },
	};
}
