// What n8n-core logs of the errors that tests provoke would bury their results.
process.env.N8N_LOG_LEVEL = 'silent';

const project = (displayName, suffix) => ({
	displayName,
	testMatch: [`<rootDir>/test/**/*.${suffix}.ts`],
	testEnvironment: 'node',
	cacheDirectory: '<rootDir>/.local/jest',
	transform: { '\\.ts$': 'ts-jest' },
	modulePathIgnorePatterns: ['<rootDir>/.local', '<rootDir>/dist'],
});

module.exports = {
	projects: [
		// Pure functions: a second or two.
		project('unit', 'test'),
		// Over a real socket, through n8n-core's own execution and request code.
		project('wire', 'wire'),
		// The packed package in a real n8n.
		{ ...project('n8n', 'e2e'), globalSetup: '<rootDir>/test/n8n/install.ts' },
	],
	// A real n8n starts in about ten seconds. A limit, not a measure: no test waits this long on purpose.
	testTimeout: 120_000,
};
