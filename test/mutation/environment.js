const StrykerEnvironment = require('@stryker-mutator/jest-runner/jest-env/node');

/** Of these n8n's modules and the tests have to have the same: what tests fake of them, n8n is to see. */
const SHARED = ['Date', 'Error', 'clearInterval', 'clearTimeout', 'setInterval', 'setTimeout'];

/** Makes many runs of few tests quick. */
module.exports = class extends StrykerEnvironment {
	hasFailed = false;

	constructor(config, context) {
		super(config, context);
		// For `loadedOnce`: n8n's modules take longer to load than most tests take.
		this.global.requireOnce = require;
		for (const name of SHARED) {
			Object.defineProperty(this.global, name, {
				configurable: true,
				get: () => globalThis[name],
				set: (value) => {
					globalThis[name] = value;
				},
			});
		}
		const FakeTimers = this.fakeTimersModern.constructor;
		this.fakeTimersModern = new FakeTimers({ config: config.projectConfig, global: globalThis });
	}

	/** The first test that fails has told what was to be found out of a mutant: those behind it are left out. */
	async handleTestEvent({ name, test }) {
		if (name === 'test_start' && this.hasFailed) test.mode = 'skip';
		if (name === 'test_done' && test.errors.length > 0) this.hasFailed = true;
	}
};
