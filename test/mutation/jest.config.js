const { join } = require('node:path');

const rootDir = join(__dirname, '..', '..');
const { projects } = require('../../jest.config.js');
const { displayName, ...unit } = projects.find((project) => project.displayName === 'unit');

// For test/support/cases.ts.
process.env.TEST_MUTATION = 'true';

module.exports = {
	...unit,
	rootDir,
	testMatch: ['<rootDir>/test/mutation/all.ts'],
	testEnvironment: join(__dirname, 'environment.js'),
	moduleNameMapper: { '^(n8n-core|n8n-workflow|@n8n/di)$': join(__dirname, 'loadedOnce', '$1.js') },
	// Ends tests that a mutant makes wait forever. Without other load, none takes more than a few seconds.
	testTimeout: 60_000,
};
