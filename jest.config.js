const { availableParallelism } = require('node:os');
const { join } = require('node:path');

// What n8n-core logs of the errors that tests provoke would bury their results.
process.env.N8N_LOG_LEVEL = 'silent';
// And it keeps its settings in a folder, which is not to be the one of the n8n of whoever runs the tests.
process.env.N8N_USER_FOLDER = join(__dirname, '.local', 'n8n-core');

/**
 * Where the tests over the wire are to run on another n8n-core than that of the development dependencies: the folder that it
 * is installed in, with the n8n-workflow that it names.
 */
const core = process.env.TEST_N8N_CORE;

const project = (displayName, suffix) => ({
	displayName,
	testMatch: [`<rootDir>/test/**/*.${suffix}.ts`],
	testEnvironment: 'node',
	// Not all of the project: what is installed in .local would take seconds to look through.
	roots: ['credentials', 'demo', 'nodes', 'test'].map((folder) => `<rootDir>/${folder}`),
	cacheDirectory: '<rootDir>/.local/jest',
	transform: { '\\.ts$': 'ts-jest' },
	modulePathIgnorePatterns: ['<rootDir>/.local', '<rootDir>/dist'],
});

module.exports = {
	projects: [
		// Pure functions: a second or two.
		project('unit', 'test'),
		// Over a real socket, through n8n-core's own execution and request code.
		{
			...project('wire', 'wire'),
			...(core && { moduleNameMapper: { '^(n8n-core|n8n-workflow)$': `${core}/node_modules/$1` } }),
		},
		// The packed package in a real n8n.
		{ ...project('n8n', 'e2e'), globalSetup: '<rootDir>/test/n8n/install.ts' },
		// The same in n8n's queue mode, which takes a Redis and a PostgreSQL more.
		{ ...project('queue', 'queue'), globalSetup: '<rootDir>/test/queue/install.ts' },
		// The same in n8n's editor and on the page of the phone, which takes a Chromium more.
		{ ...project('browser', 'browser'), globalSetup: '<rootDir>/test/browser/install.ts' },
	],
	// One more than there are processors: these tests wait for n8n, or for a service, more than they compute.
	maxWorkers: availableParallelism() + 1,
	// A limit, not a measure: longer than the start of an n8n is given, so that what fails is cleaned up.
	testTimeout: 600_000,
};
