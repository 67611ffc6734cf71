/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- it finds test files */
import { globSync } from 'node:fs';
import { join } from 'node:path';

import fc from '../support/fastCheck';

// One failing case is enough, without shrinking it.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const FOLDER = join(__dirname, '..');

// All tests in one file, because Stryker makes Jest load every file again for each mutant, and n8n with it. Unit tests run
// first, because they fail fastest.
for (const kind of ['test', 'wire']) {
	for (const file of globSync(`{credentials,nodes,upgrades}/**/*.${kind}.ts`, { cwd: FOLDER })) {
		describe(file, () => {
			jest.requireActual(join(FOLDER, file));
		});
	}
}
