const { join } = require('node:path');

const rootDir = join(__dirname, '..', '..');
const { projects, testTimeout } = require('../../jest.config.js');
const { displayName, ...wire } = projects.find((project) => project.displayName === 'wire');

// For test/support/testSize.ts.
process.env.TEST_MUTATION = 'true';

const FOLDER = '<rootDir>/test/nodes/MessagingAccount';
const sends = ['sends/*', 'images/*', 'MessagingAccount', 'faults'];
const trigger = ['events/**/*', 'MessagingAccountTrigger'];
const ofNodes = (names) => names.map((name) => `${FOLDER}/${name}.wire.ts`);
const SUITES = {
	sends: ofNodes(sends),
	trigger: [...ofNodes(trigger), '<rootDir>/test/services/soak.wire.ts'],
};

module.exports = {
	...wire,
	rootDir,
	testMatch: process.env.TEST_SABOTAGE_SUITES.split(',').flatMap((name) => SUITES[name]),
	setupFilesAfterEnv: [join(__dirname, 'sabotagedNodes.ts')],
	// Ends tests that wait for a request or an item that never comes.
	testTimeout: process.env.TEST_SABOTAGE === 'none' ? testTimeout : 20_000,
};
