import {
	actionFindings,
	changelogFindings,
	contentFindings,
	linkFindings,
	manifestFindings,
	placeholderFindings,
	sizeFindings,
	versionFindings,
	type Manifest,
} from './rules';

const MANIFEST: Manifest = {
	name: 'n8n-nodes-x',
	version: '1.2.3',
	keywords: ['n8n-community-node-package', 'x'],
	license: 'MIT',
	files: ['dist'],
	peerDependencies: { 'n8n-workflow': '*' },
	scripts: { build: 'x' },
	n8n: {
		strict: true,
		nodes: ['dist/nodes/X/X.node.js'],
		credentials: ['dist/credentials/X.credentials.js'],
	},
};

test('a package without dependencies has no findings', () => {
	expect(manifestFindings(MANIFEST)).toEqual([]);
});

test.each([
	[{ keywords: ['x'] }, 'keyword'],
	[{ license: 'ISC' }, 'license'],
	[{ dependencies: { axios: '1.0.0' } }, 'axios'],
	[{ optionalDependencies: { axios: '1.0.0' } }, 'axios'],
	[{ bundleDependencies: ['axios'] }, 'bundles'],
	[{ bundledDependencies: ['axios'] }, 'bundles'],
	[{ peerDependencies: { 'n8n-workflow': '^2.0.0' } }, 'peer'],
	[{ peerDependencies: { 'n8n-workflow': '*', axios: '*' } }, 'peer'],
	[{ files: ['dist', 'test'] }, 'files'],
	[{ n8n: {} }, 'strict'],
	[{ scripts: { postinstall: 'x' } }, 'postinstall'],
	[{ scripts: { prepare: 'x' } }, 'prepare'],
])('%j is reported', (change, expected) => {
	const findings = manifestFindings({ ...MANIFEST, ...change });
	expect(findings).toHaveLength(1);
	expect(findings[0]).toContain(expected);
});

test('exactly the files that n8n loads are published', () => {
	const valid = [
		'package/package.json',
		'package/README.md',
		'package/LICENSE',
		'package/dist/nodes/X/X.node.js',
		'package/dist/nodes/X/X.node.json',
		'package/dist/nodes/X/x.svg',
		'package/dist/credentials/X.credentials.js',
	];
	expect(contentFindings(valid, MANIFEST)).toEqual([]);
	for (const file of ['test/a.js', 'dist/nodes/X/X.d.ts', 'dist/test/a.js', '.env', 'a.svg']) {
		expect(contentFindings([...valid, `package/${file}`], MANIFEST)).toHaveLength(1);
	}
	for (const file of valid.filter((name) => !name.endsWith('.svg'))) {
		const others = valid.filter((name) => name !== file);
		expect(contentFindings(others, MANIFEST)).toEqual([
			`${file} is missing from what would be published.`,
		]);
	}
});

test('a package that has grown is reported', () => {
	expect(sizeFindings(90_000)).toEqual([]);
	expect(sizeFindings(90_001)).toHaveLength(1);
});

describe('the version', () => {
	test.each([
		['1.2.3', '1.2.3', undefined, 0],
		['1.2.3', '1.2.3', '1.2.3', 0],
		['1.2.3-rc.1', '1.2.3-rc.1', undefined, 1],
		['1.2', '1.2', undefined, 1],
		['1.2.3', '1.2.2', undefined, 1],
		['1.2.3', '1.2.3', '1.2.4', 1],
	])('%s with %s in the lockfile and the tag %s', (version, locked, tag, count) => {
		const findings = versionFindings({ ...MANIFEST, version }, { version: locked }, tag);
		expect(findings).toHaveLength(count);
	});

	test.each([
		['# Changelog\n\n## 1.2.3\n\n- New.\n\n## 1.2.2\n\n- Old.\n', 0],
		['# Changelog\n\n## 1.2.3\n\n- New.', 0],
		['# Changelog\n\n## 1.2.3 (2026-11-21)\n\n- New.\n', 0],
		['# Changelog\n\n## 1.2.3\n\n## 1.2.2\n\n- Old.\n', 1],
		['# Changelog\n\n## 1.2.2\n\n- Old.\n', 1],
		['# Changelog\n\n## 1.2.4\n\n- Newer.\n\n## 1.2.3\n\n- New.\n', 1],
		['# Changelog\n', 1],
	])('must have an entry: %j', (changelog, count) => {
		expect(changelogFindings(changelog, '1.2.3')).toHaveLength(count);
	});
});

test('broken links are reported', () => {
	const anchorsOf = (path: string) => (path === 'there.md' ? ['x'] : undefined);
	const readme =
		'# A Heading: `code`\n[a](#a-heading-code) [b](there.md) ![c](there.md#x) [d](https://x)';
	expect(linkFindings('README.md', readme, anchorsOf)).toEqual([]);
	const broken = `${readme} [e](gone.md) [f](#gone) [g](there.md#gone) [h](gone.md#x)`;
	expect(linkFindings('README.md', broken, anchorsOf)).toEqual(
		['gone.md', '#gone', 'there.md#gone', 'gone.md#x'].map(
			(target) => `README.md: the link to ${target} leads nowhere.`,
		),
	);
});

test('actions must be pinned', () => {
	const pinned = `steps:\n  - uses: a/b@${'0'.repeat(40)} # v1\n  - name: x\n    uses: ./c.yml\n`;
	expect(actionFindings('ci.yml', pinned)).toEqual([]);
	expect(actionFindings('ci.yml', `${pinned}  - uses: a/b@v5\n`)).toEqual([
		'ci.yml: a/b@v5 is not pinned to a commit.',
	]);
	expect(actionFindings('ci.yml', `${pinned}    uses: a/b@main\n`)).toHaveLength(1);
});

test('placeholder addresses are reported', () => {
	const files = {
		a: '"git+https://git.example.com/x"',
		b: '"me@example.com"',
		d: 'https://my-docs.example.com/x',
		e: 'git@git.example.org:x/y',
		c: 'https://n8n.io',
	};
	const found = placeholderFindings(files).map((finding) => finding[0]);
	expect(found).toEqual(['a', 'b', 'd', 'e']);
});
