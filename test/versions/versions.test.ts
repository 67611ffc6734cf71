import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../../package.json';
import { PROJECT } from '../../tools/n8n/install';
import { N8N_CORES, N8N_VERSION, OTHER_N8N_VERSIONS } from '../../tools/n8n/versions';

const read = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
/** The rows of the tables of n8n's versions and of its engines, without their heads. */
const rows = ['docs/compatibility.md', 'docs/design/engines.md'].flatMap((file) => {
	const [, , ...versions] = read(file)
		.split('\n')
		.filter((line) => line.startsWith('| '));
	return versions;
});

test.each([
	...N8N_CORES.map(({ core, workflow }) => `n8n-core ${core} with n8n-workflow ${workflow}`),
	...[N8N_VERSION, ...OTHER_N8N_VERSIONS].map((version) => `n8n ${version}`),
])('the docs list %s', (name) => {
	expect(rows.some((row) => row.startsWith(`| ${name} |`))).toBe(true);
});

test('the docs list no other version', () => {
	expect(rows).toHaveLength(N8N_CORES.length + OTHER_N8N_VERSIONS.length + 1);
});

test('the README names the oldest and the newest version', () => {
	const [oldest, newest] = [OTHER_N8N_VERSIONS[0], N8N_VERSION].map((version) =>
		version.replace(/\.\d+$/, ''),
	);
	const readme = read('README.md');
	expect(readme).toContain(`Tested on n8n ${oldest} to ${newest}`);
	expect(readme).toContain(`your n8n (${oldest} or later)`);
});

test('the wire tests run on the newest engine', () => {
	const { core, workflow } = N8N_CORES.at(-1)!;
	expect(manifest.devDependencies).toMatchObject({ 'n8n-core': core, 'n8n-workflow': workflow });
});
