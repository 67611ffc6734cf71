/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- it finds the tests in their folders */
import { globSync } from 'node:fs';
import { join } from 'node:path';

import fc from 'fast-check';

// The same cases for each mutant; and that one fails is enough, whatever the smallest one is.
fc.configureGlobal({ seed: 1, endOnFailure: true });

const FOLDER = join(__dirname, '..');

// All tests as one file: Stryker has Jest load every file for each mutant, and n8n with it. Unit tests are the first to fail.
for (const kind of ['test', 'wire']) {
	for (const file of globSync(`{credentials,nodes,upgrades}/**/*.${kind}.ts`, { cwd: FOLDER })) {
		describe(file, () => {
			jest.requireActual(join(FOLDER, file));
		});
	}
}
