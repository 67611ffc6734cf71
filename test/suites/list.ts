/* eslint-disable @n8n/community-nodes/no-restricted-imports -- it contains paths of this machine */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

import { installWithPnpm, LOCAL } from '../../tools/n8n/install';
import { N8N_CORES, OTHER_N8N_VERSIONS, type N8nCore } from '../../tools/n8n/versions';

/** A command that runs tests or checks. */
export interface Suite {
	name: string;
	/** Needs the binaries of the dev dependencies on the PATH. Exits with 0 on success. */
	command: string[];
	/** Environment variables, e.g. to select the n8n version. */
	env?: Record<string, string>;
	/** Installs anything that only this suite needs. */
	install?(): Promise<unknown>;
}

const jest = (project: string, ...args: string[]) => ['jest', '--selectProjects', project, ...args];
const script = (...args: string[]) => ['node', '--import', 'tsx', ...args];

/** Without the newest, a dev dependency: the suite `wire` runs on it. */
const CORES = N8N_CORES.slice(0, -1);

/**
 * The tests in a real n8n that depend on what n8n 1 does otherwise: how it installs a package, what a retry inherits, what survives a
 * crash, and when a trigger polls.
 */
const DIFFERENT_IN_EACH = ['--testPathPatterns', '/(package|retries|crash|trigger)\\.e2e'];

/** What every change has to pass: `npm test` and `npm run test:ci`. */
const DAY: Record<string, Suite[]> = {
	lint: [
		{ name: 'lint: n8n’s rules', command: ['n8n-node', 'lint'] },
		{
			name: 'lint: types',
			command: ['tsc', '--incremental', '--tsBuildInfoFile', '.local/types.tsbuildinfo'],
		},
		{
			name: 'lint: types of the phone page',
			command: ['tsc', '--project', 'tools/embeddedService/page'],
		},
		{ name: 'lint: types of the split view', command: ['tsc', '--project', 'demo/page'] },
		{
			name: 'lint: imports',
			command: ['depcruise', 'credentials', 'nodes', 'tools', 'demo', 'test'],
		},
		{
			name: 'lint: format',
			command: [
				...['prettier', '--check', '--cache', '--cache-location', '.local/prettier'],
				...['--log-level', 'warn', '.'],
			],
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
	release: [{ name: 'release', command: script('test/release/check.ts', '--linted') }],
};

/** By the name that run.ts takes as an argument. */
export const SUITES: Record<string, Suite[]> = {
	...DAY,
	all: [
		...DAY.n8n,
		...DAY.wire,
		...DAY.lint,
		...DAY.unit,
		...OTHER_N8N_VERSIONS.map((version) => onN8n(version)),
		...CORES.map(onCore),
		...DAY.browser,
		...DAY.queue,
		...DAY.release,
		{ name: 'bench', command: script('test/bench/bench.ts', '--short') },
		{ name: 'mutants', command: script('test/mutants/mutants.ts') },
		// One small file, so that mutation runs cannot break unseen.
		{
			name: 'mutation',
			command: script('test/mutation/mutation.ts', 'nodes/MessagingAccount/transport/throttle.ts'),
		},
	].map((suite) => ({ ...suite, env: { ...suite.env, TEST_SIZE: 'night' } })),
};

/** Runs the packed package in another version of n8n, in all tests unless arguments of Jest select some. */
function onN8n(version: string, selection: string[] = []): Suite {
	// The AI Agent of n8n 1 differs and has no review step, and n8n 1 has no scheduler for polls.
	const excluded = version.startsWith('1.')
		? ['--testPathIgnorePatterns', 'aiAgent', 'scheduler']
		: [];
	return {
		name: `n8n ${version}`,
		command: jest('n8n', ...excluded, ...selection),
		env: { TEST_N8N_VERSION: version },
	};
}

/** Runs the nodes in the execution, request and poll code of another version of n8n-core. */
function onCore({ core, workflow }: N8nCore): Suite {
	const folder = `n8n-core-${core}`;
	return {
		name: `n8n-core ${core} (n8n-workflow ${workflow})`,
		command: jest(
			'wire',
			'--testPathPatterns',
			'test/(nodes|upgrades|versions)',
			// Some of these versions set timers that keep the process running.
			'--forceExit',
		),
		env: {
			TEST_N8N_CORE: join(LOCAL, folder),
			TEST_N8N_CORE_VERSION: core,
			TEST_N8N_WORKFLOW_VERSION: workflow,
			// For versions with ES modules among their dependencies.
			NODE_OPTIONS: '--experimental-vm-modules',
		},
		install: async () =>
			await installWithPnpm(folder, { 'n8n-core': core, 'n8n-workflow': workflow }),
	};
}
