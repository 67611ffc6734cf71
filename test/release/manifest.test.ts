import { globSync } from 'node:fs';

import manifest from '../../package.json';
import lock from '../../package-lock.json';
import { readDocument } from '../docs/documents';

test('the package is what n8n verifies: found by its keyword, MIT, strict, without dependencies', () => {
	expect(manifest).toMatchObject({
		license: 'MIT',
		files: ['dist'],
		peerDependencies: { 'n8n-workflow': '*' },
		n8n: { strict: true },
	});
	expect(manifest.keywords).toContain('n8n-community-node-package');
	expect(Object.keys(manifest.peerDependencies)).toHaveLength(1);
	const dependencies = Object.keys(manifest).filter((name) => /dependencies$/i.test(name));
	expect(dependencies.sort()).toEqual(['devDependencies', 'peerDependencies']);
	const atInstall = /^(preinstall|install|postinstall|prepare)$/;
	expect(Object.keys(manifest.scripts).filter((name) => atInstall.test(name))).toEqual([]);
});

test('the rules of lint are those of n8n’s strict mode, unchanged', () => {
	const template = 'template/templates/shared/default/eslint.config.mjs';
	const wanted = readDocument(`node_modules/@n8n/node-cli/dist/${template}`);
	expect(readDocument('eslint.config.mjs').split(/\s+/)).toEqual(wanted.split(/\s+/));
});

test('the version is the same everywhere, and the changelog says what is new in it', () => {
	// npm publishes prereleases only with the name of a dist-tag.
	expect(manifest.version).toMatch(/^\d+\.\d+\.\d+$/);
	expect(lock.version).toBe(manifest.version);
	const changelog = readDocument('CHANGELOG.md');
	const [, newest, entry] = /^## (\S+)[^\n]*\n(.*?)(?=^## |$(?![^]))/ms.exec(changelog)!;
	expect(newest).toBe(manifest.version);
	expect(entry).toMatch(/^- \S/m);
});

test('actions of others are pinned to a commit, because tags can be moved', () => {
	const actions = globSync('.github/workflows/*.yml').flatMap((file) =>
		[...readDocument(file).matchAll(/^\s*(?:- )?uses:\s*(\S+)/gm)].map(([, action]) => action),
	);
	const others = actions.filter((action) => !action.startsWith('./'));
	expect(others.length).toBeGreaterThan(3);
	for (const action of others) expect(action).toMatch(/@[0-9a-f]{40}$/);
});
