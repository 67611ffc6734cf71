/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- tests read the packed file with tar */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

import { setUp } from './realN8n';

const MOST_BYTES = 60_000;

const tar = (...args: string[]) => execFileSync('tar', args, { encoding: 'utf8' });

test('only what runs is published: no sources, no tests', () => {
	const files = tar('-tzf', setUp('TEST_TARBALL')).trim().split('\n');
	const outside = files.filter((file) => !file.startsWith('package/dist/'));
	expect(outside.sort()).toEqual(['package/LICENSE', 'package/README.md', 'package/package.json']);
	const inside = files.filter((file) => file.startsWith('package/dist/'));
	expect(inside.filter((file) => !/\.(js|json|svg)$/.test(file))).toEqual([]);
	expect(inside.filter((file) => !/^package\/dist\/(nodes|credentials)\//.test(file))).toEqual([]);
	expect(inside).toContain('package/dist/nodes/MessagingAccount/MessagingAccount.node.json');
});

test('it is small', () => {
	expect(statSync(setUp('TEST_TARBALL')).size).toBeLessThan(MOST_BYTES);
});

test('nothing comes with it', () => {
	const manifest = tar('-xzOf', setUp('TEST_TARBALL'), 'package/package.json');
	const { dependencies, peerDependencies } = JSON.parse(manifest) as Record<string, object>;
	expect(dependencies ?? {}).toEqual({});
	expect(peerDependencies).toEqual({ 'n8n-workflow': '*' });
});
