const { availableParallelism } = require('node:os');
const { join } = require('node:path');

// n8n-core logs the errors that tests provoke, which would bury the test results.
process.env.N8N_LOG_LEVEL = 'silent';
// Keeps n8n-core away from the settings of the developer's own n8n.
process.env.N8N_USER_FOLDER = join(__dirname, '.local', 'n8n-core');

/** A version of n8n-core. If set, the wire tests run on it and its n8n-workflow instead of those in the dev dependencies. */
const core = process.env.TEST_N8N_CORE;

const project = (displayName, suffix) => ({
	displayName,
	testMatch: [`<rootDir>/test/**/*.${suffix}.ts`],
	testEnvironment: 'node',
	// Not the whole project: scanning the installs in .local takes seconds.
	roots: ['bench', 'credentials', 'demo', 'nodes', 'test', 'tools'].map(
		(folder) => `<rootDir>/${folder}`,
	),
	cacheDirectory: '<rootDir>/.local/jest',
	transform: { '\\.ts$': 'ts-jest' },
	modulePathIgnorePatterns: ['<rootDir>/.local', '<rootDir>/dist'],
});

module.exports = {
	projects: [
		// Pure functions, takes a second or two.
		project('unit', 'test'),
		// Over a real socket, through n8n-core's execution and request code.
		{
			...project('wire', 'wire'),
			...(core && {
				globalSetup: '<rootDir>/test/versions/install.ts',
				moduleNameMapper: {
					'^(n8n-core|n8n-workflow)$': `<rootDir>/.local/n8n-core-${core}/node_modules/$1`,
				},
			}),
		},
		// The packed package in a real n8n.
		{ ...project('n8n', 'e2e'), globalSetup: '<rootDir>/test/n8n/install.ts' },
		// The same in n8n's queue mode; also needs Redis and PostgreSQL.
		{ ...project('queue', 'queue'), globalSetup: '<rootDir>/test/queue/install.ts' },
		// The same in n8n's editor; also needs Chromium.
		{ ...project('browser', 'browser'), globalSetup: '<rootDir>/test/browser/install.ts' },
	],
	// One more than the number of processors: these tests mostly wait for n8n or a service.
	maxWorkers: availableParallelism() + 1,
	// Longer than n8n's own start timeout, so a failed start is still cleaned up. Not a performance limit.
	testTimeout: 600_000,
};
