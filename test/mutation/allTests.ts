import { globSync } from 'node:fs';
import { join } from 'node:path';

import fc from '../support/fastCheck';

// One failing case is enough, without shrinking it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const FOLDER = join(__dirname, '..');

/** A regular expression of the names of the tests that reach the mutant; undefined in the first run, without a mutant. */
const { testNamePattern } = globalThis as { testNamePattern?: string };
const named = testNamePattern?.replaceAll('\\', '');

// All tests in one file, because Stryker makes Jest load every file again for each mutant, and n8n with it. Unit tests run
// first, because they fail fastest.
for (const kind of ['test', 'wire']) {
	for (const file of globSync(`{credentials,nodes}/**/*.${kind}.ts`, { cwd: FOLDER })) {
		if (named?.includes(file) === false) continue;
		describe(file, () => {
			jest.requireActual(join(FOLDER, file));
		});
	}
}
