/* eslint-disable @n8n/community-nodes/no-restricted-imports -- it names folders of this machine */
import { join } from 'node:path';

import { installWithPnpm, LOCAL } from '../../tools/n8n/install';
import { CORES, N8NS, type Core } from '../versions/list';

/** One command that tests something. */
export interface Suite {
	name: string;
	/** Found with the development dependencies on the PATH; it ends with 0 where all is well. */
	command: string[];
	/** What it is told by the environment, e.g. which n8n to run on. */
	env?: Record<string, string>;
	/** Installs what no other suite needs. */
	install?(): Promise<unknown>;
}

const jest = (project: string, ...args: string[]) => ['jest', '--selectProjects', project, ...args];
const script = (...args: string[]) => ['node', '--import', 'tsx', ...args];

const IN_N8N = jest('n8n');

/** By the name that is given to run.ts. */
export const SUITES: Record<string, Suite[]> = {
	lint: [
		{ name: 'lint: n8n’s rules', command: ['n8n-node', 'lint'] },
		{ name: 'lint: types', command: ['tsc'] },
		{ name: 'lint: types of the page', command: ['tsc', '--project', 'tools/service/page'] },
		{
			name: 'lint: imports',
			command: ['depcruise', 'credentials', 'nodes', 'tools', 'demo', 'test'],
		},
		{ name: 'lint: format', command: ['prettier', '--check', '--log-level', 'warn', '.'] },
	],
	unit: [{ name: 'unit', command: jest('unit') }],
	wire: [{ name: 'wire', command: jest('wire') }],
	n8n: [{ name: 'n8n', command: IN_N8N }],
	queue: [{ name: 'queue', command: jest('queue', '--runInBand') }],
	browser: [{ name: 'browser', command: jest('browser', '--runInBand') }],
	versions: [...N8NS.map(onN8n), ...CORES.map(onCore)],
	release: [{ name: 'release', command: script('test/release/check.ts', '--linted') }],
	bench: [{ name: 'bench', command: script('test/bench/bench.ts', '--short') }],
};

/** The packed package in another whole n8n. */
function onN8n(version: string): Suite {
	// The AI Agent of n8n 1 is another one, with no review step.
	const leftOut = version.startsWith('1.') ? ['--testPathIgnorePatterns', 'aiAgent'] : [];
	return {
		name: `n8n ${version}`,
		command: [...IN_N8N, ...leftOut],
		env: { TEST_N8N_VERSION: version },
	};
}

/** The nodes in another n8n-core's own execution, request and poll code. */
function onCore({ core, workflow }: Core): Suite {
	const folder = `n8n-core-${core}`;
	return {
		name: `n8n-core ${core} (n8n-workflow ${workflow})`,
		command: jest(
			'wire',
			'--testPathPatterns',
			'test/(nodes|upgrades|versions)',
			// Some of these versions set timers that keep a process from its end.
			'--forceExit',
		),
		env: {
			TEST_N8N_CORE: join(LOCAL, folder),
			TEST_N8N_CORE_VERSION: core,
			TEST_N8N_WORKFLOW_VERSION: workflow,
			// For those whose dependencies are ES modules.
			NODE_OPTIONS: '--experimental-vm-modules',
		},
		install: async () =>
			await installWithPnpm(folder, { 'n8n-core': core, 'n8n-workflow': workflow }),
	};
}
