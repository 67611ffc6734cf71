/* eslint-disable @n8n/community-nodes/no-restricted-imports -- the test reads the README */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { N8N_VERSION, PROJECT } from '../../tools/n8n/install';
import { CORES, N8NS } from './list';

const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8');
const [, compatibility] = /^## Compatibility\n(.*?)^## /ms.exec(readme)!;
const rows = compatibility.split('\n').filter((line) => line.startsWith('| '));

test.each([
	...CORES.map(({ core, workflow }) => `n8n-core ${core} with n8n-workflow ${workflow}`),
	...[...N8NS, N8N_VERSION].map((version) => `n8n ${version}`),
])('the README lists %s', (name) => {
	expect(rows.some((row) => row.startsWith(`| ${name} |`))).toBe(true);
});

test('the README lists no other version', () => {
	const [, , ...versions] = rows;
	expect(versions).toHaveLength(CORES.length + N8NS.length + 1);
});
