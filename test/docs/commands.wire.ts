import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import manifest from '../../package.json';
import { packInto } from '../../tools/n8n/install';
import { createNpmSettings, startRegistry } from '../support/npmRegistry';
import type { ScriptedServer } from '../support/scriptedServer';
import { DOCUMENTS, listCodeBlocks } from './documents';

const run = promisify(execFile);

const PACKAGE = 'n8n-nodes-messaging-account';
/** The README's command installs this version. */
const PINNED = manifest.version;

/** Stands in for Docker: runs what is to be run in the container here, in its home, and lists the other commands. */
const DOCKER = `#!/bin/sh
case "$1 $2 $3" in
	'compose exec n8n') shift 3; exec "$@" ;;
	*) echo "$*" >> "$HOME/docker-commands" ;;
esac
`;

const blocks = DOCUMENTS.flatMap(listCodeBlocks).filter(({ language }) => language === 'sh');

const blockWith = (text: string) => {
	const [found, ...others] = blocks.filter(({ code }) => code.includes(text));
	expect(others).toEqual([]);
	return found.code;
};

let folder: string;
let registry: ScriptedServer;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-commands-'));
	await mkdir(join(folder, 'bin'));
	await mkdir(join(folder, 'packed'));
	await writeFile(join(folder, 'bin/docker'), DOCKER);
	await chmod(join(folder, 'bin/docker'), 0o755);
	const tarball = await readFile(await packInto(join(folder, 'packed')));
	registry = await startRegistry(PACKAGE, ['0.9.0', PINNED], tarball);
});

afterAll(async () => {
	await registry?.close();
	await rm(folder, { recursive: true, force: true });
});

/** Runs a block as somebody does who has this home and a shell. */
async function runBlock(code: string, home: string): Promise<void> {
	const env = {
		PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
		HOME: home,
		npm_config_userconfig: join(home, '.npmrc'),
		...createNpmSettings(registry),
	};
	await run('sh', ['-e', '-c', code], { cwd: home, env });
}

async function createHome(): Promise<string> {
	return await mkdtemp(join(folder, 'home-'));
}

/** The installed files that n8n loads. */
async function findNodes(home: string): Promise<string[]> {
	const installed = join(home, '.n8n/nodes/node_modules', PACKAGE);
	const manifest = join(installed, 'package.json');
	if (!existsSync(manifest)) return [];
	const { n8n } = JSON.parse(await readFile(manifest, 'utf8')) as { n8n: { nodes: string[] } };
	return n8n.nodes.filter((node) => existsSync(join(installed, node)));
}

test('the commands for an installation by hand install both nodes', async () => {
	const home = await createHome();
	await runBlock(blockWith('cd ~/.n8n/nodes\nnpm install'), home);
	expect(await findNodes(home)).toHaveLength(2);
});

test('the commands for Docker install both nodes in the container', async () => {
	const home = await createHome();
	await runBlock(blockWith('docker compose exec'), home);
	expect(await findNodes(home)).toHaveLength(2);
	const others = await readFile(join(home, 'docker-commands'), 'utf8');
	expect(others).toBe('compose restart n8n\n');
});

test('the commands to update, pin and remove do just that', async () => {
	const home = await createHome();
	await runBlock(blockWith('cd ~/.n8n/nodes\nnpm install'), home);
	const nodes = join(home, '.n8n/nodes');
	const dependencies = async () =>
		(
			JSON.parse(await readFile(join(nodes, 'package.json'), 'utf8')) as {
				dependencies?: Record<string, string>;
			}
		).dependencies ?? {};
	const runHere = async (command: string) => await runBlock(`cd ~/.n8n/nodes\n${command}`, home);

	await runHere(blockWith('@latest'));
	expect(await findNodes(home)).toHaveLength(2);
	await runHere(blockWith('--save-exact'));
	expect(await dependencies()).toEqual({ [PACKAGE]: PINNED });
	expect(await findNodes(home)).toHaveLength(2);
	await runHere(blockWith('npm uninstall'));
	expect(await findNodes(home)).toEqual([]);
});

test('every other command is one of npm that a suite runs', () => {
	const others = blocks
		.filter(({ code }) => !/\.n8n\/nodes|n8n-nodes-messaging-account/.test(code))
		.flatMap(({ code }) => code.trim().split('\n'));
	// `.ci/run` runs the first two; test/tools/checkService.wire.ts the third.
	expect(others).toEqual([
		'npm run check-service -- https://messaging.example.com',
		'npm run demo',
		'npm test',
	]);
});
