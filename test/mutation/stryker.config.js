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
	// Below what nodes/ has as a whole, so that a file with many survivors is not red for them alone.
	thresholds: { high: 95, low: 90, break: 90 },
	timeoutMS: 10_000,
};
