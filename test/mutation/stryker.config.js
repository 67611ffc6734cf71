const local = '.local/mutation';

module.exports = {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	jest: { configFile: 'test/mutation/jest.config.js', enableFindRelatedTests: false },
	coverageAnalysis: 'perTest',
	// What runs once, when a file is loaded: descriptions of parameters, for the most part. Each would take all tests.
	ignoreStatic: true,
	ignorePatterns: ['.local', 'dist', '*.tgz'],
	tempDirName: `${local}/sandbox`,
	reporters: ['progress-append-only', 'clear-text', 'html', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: `${local}/report.html` },
	jsonReporter: { fileName: `${local}/report.json` },
	// Beside what the tests take without a mutant.
	timeoutMS: 10_000,
	thresholds: { high: 95, low: 90, break: 90 },
};
