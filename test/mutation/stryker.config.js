const local = '.local/mutation';

module.exports = {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: { configFile: 'test/mutation/stryker.jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// Static mutants are in code that runs once on load, mostly parameter descriptions. Each would need all tests.
	ignoreStatic: true,
	ignorePatterns: ['.local', '/dist', '/*.tgz'],
	tempDirName: `${local}/sandbox`,
	// Lint would otherwise also check the mutated copy of the code after a failed run.
	cleanTempDir: 'always',
	reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: `${local}/report.html` },
	jsonReporter: { fileName: `${local}/report.json` },
	// On a busy machine, all tests once can take more than the default of 5.
	dryRunTimeoutMinutes: 15,
	// Added to the time that the tests take without a mutant.
	timeoutMS: 10_000,
	thresholds: { high: 95, low: 90, break: 90 },
};
