const StrykerEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

/** Globals that the tests share with n8n's modules, so that n8n sees their fakes. */
const SHARED = [
	'Date',
	'Error',
	'clearInterval',
	'clearTimeout',
	'performance',
	'setInterval',
	'setTimeout',
];

/** Speeds up many runs of few tests. */
module.exports = class extends StrykerEnvironment {
	hasFailed = false;

	constructor(config, context) {
		super(config, context);
		// For `sharedModules`: loading n8n's modules takes longer than most tests.
		this.global.requireOnce = require;
		// For allTests.ts: the names of the tests that reach the mutant.
		this.global.testNamePattern = config.globalConfig.testNamePattern;
		for (const name of SHARED) {
			Object.defineProperty(this.global, name, {
				configurable: true,
				get: () => globalThis[name],
				set: (value) => {
					globalThis[name] = value;
				},
			});
		}
		// n8n reads its proxies from it.
		this.global.process.env = process.env;
		const FakeTimers = this.fakeTimersModern.constructor;
		this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
	}

	/** One failing test is enough to kill a mutant, so the following tests are skipped. */
	async handleTestEvent({ name, test }) {
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
		if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
	}
};
