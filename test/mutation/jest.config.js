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
	moduleNameMapper: { '^(n8n-core|n8n-workflow)$': join(__dirname, 'loadedOnce', '$1.js') },
	// What a mutant makes wait for ever has failed: none of these tests takes more than some seconds, if the machine is free.
	testTimeout: 60_000,
};
