const { join } = require('node:path');

const rootDir = join(__dirname, '..', '..');
const { projects } = require('../../jest.config.js');
const { displayName, ...unit } = projects.find((project) => project.displayName === 'unit');

// For test/support/testSize.ts.
process.env.TEST_MUTATION = 'true';

module.exports = {
	...unit,
	rootDir,
	testMatch: ['<rootDir>/test/mutation/allTests.ts'],
	testEnvironment: join(__dirname, 'strykerEnvironment.js'),
	moduleNameMapper: {
		'^(n8n-core|n8n-workflow|@n8n/di)$': join(__dirname, 'sharedModules', '$1.js'),
	},
	// Ends tests that a mutant makes wait forever. Without other load, none takes more than a few seconds.
	testTimeout: 60_000,
};
