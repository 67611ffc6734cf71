import manifest from '../../package.json';
import { N8N_CORES, N8N_VERSION, OTHER_N8N_VERSIONS } from '../../tools/n8n/versions';
import { readDocument } from '../docs/documents';

/** The rows of the tables of n8n's versions and of its engines, without their heads. */
const rows = ['docs/compatibility.md', 'docs/design/engines.md'].flatMap((file) => {
	const lines = readDocument(file).split('\n');
	return lines.filter((line) => line.startsWith('| ')).slice(2);
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
	const readme = readDocument('README.md');
	expect(readme).toContain(`Tested on n8n ${oldest} to ${newest}`);
	expect(readme).toContain(`your n8n (${oldest} or later)`);
});

test('the wire tests run on the newest engine', () => {
	const { core, workflow } = N8N_CORES.at(-1)!;
	expect(manifest.devDependencies).toMatchObject({ 'n8n-core': core, 'n8n-workflow': workflow });
});
