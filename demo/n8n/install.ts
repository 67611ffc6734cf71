/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/require-node-api-error -- not part of the published node: it installs n8n on this machine */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	rename,
	rm,
	stat,
	utimes,
	writeFile,
} from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';

import { whileLocked } from '../lock.js';

const run = promisify(execFile);

export const PROJECT = resolve(__dirname, '../..');

/** Git-ignored; what is installed here is kept for the next run. */
export const LOCAL = join(PROJECT, '.local');

/** What the demo and the tests run. */
export const N8N_VERSION = '2.39.10';

/** Long enough for a demo that stays open while its project is changed. */
const KEPT_UNUSED_MS = 3 * 60 * 60 * 1000;

/**
 * Versions of n8n's dependencies that it does not name itself, by the beginning of its own: their ranges lead to ones that
 * not every registry has, or that do not fit it any more. Until 2.35 its spreadsheet library, which is not needed here,
 * comes from elsewhere than the registry.
 */
const PINS: Record<string, Record<string, string>> = {
	'1.': {
		xlsx: '0.18.5',
		'@langchain/langgraph': '1.0.2',
		'@langchain/langgraph-checkpoint': '1.0.0',
	},
	'2.': { linkedom: '0.18.12', '@langchain/langgraph': '1.4.9' },
};

/** Of all build scripts only the database's and the expression engine's are needed. */
const BUILT = ['sqlite3', 'isolated-vm'];

/**
 * For installs in other folders: npm hands the project's own .npmrc down to all that it starts, and n8n's database does need its
 * build script.
 */
const ELSEWHERE = { npm_config_ignore_scripts: 'false' };

/**
 * Installs n8n, once.
 *
 * @returns the file to run with node
 */
export async function installN8n(version = N8N_VERSION): Promise<string> {
	const pins = PINS[version.slice(0, 2)];
	const folder = await installApart(`n8n-${version}`, { n8n: version }, pins);
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

/**
 * Installs packages of n8n in a folder of their own with pnpm (npm takes many minutes for n8n), once.
 *
 * @returns the folder
 */
export async function installApart(
	name: string,
	dependencies: Record<string, string>,
	pins: Record<string, string> = {},
): Promise<string> {
	const folder = join(LOCAL, name);
	await once(folder, async () => {
		const manifest = JSON.stringify({ private: true, dependencies });
		await writeFile(join(folder, 'package.json'), manifest);
		// JSON is YAML.
		const workspace = { packages: [], overrides: pins, onlyBuiltDependencies: BUILT };
		await writeFile(join(folder, 'pnpm-workspace.yaml'), JSON.stringify(workspace));
		await command(
			'pnpm',
			['install', '--prefer-offline', '--reporter=append-only'],
			folder,
			ELSEWHERE,
		);
	});
	return folder;
}

/**
 * Builds the package and packs what would be published. Its content decides the folder: the same content is the same
 * file, and what was installed from it is found again.
 *
 * @returns the tarball
 */
export async function packProject(): Promise<string> {
	const packages = join(LOCAL, 'packages');
	await mkdir(packages, { recursive: true });
	const folder = await mkdtemp(join(packages, 'new-'));
	const tarball = await packInto(folder);
	const digest = createHash('sha256').update(await readFile(tarball));
	const kept = join(packages, digest.digest('hex').slice(0, 16));
	return await whileLocked(join(LOCAL, 'packages.lock'), async () => {
		if (existsSync(kept)) await rm(folder, { recursive: true });
		else await rename(folder, kept);
		await forgetOthers(packages, kept);
		return join(kept, basename(tarball));
	});
}

/**
 * Builds the package, and packs it into an empty folder.
 *
 * @returns the tarball
 */
export async function packInto(folder: string): Promise<string> {
	// Two runs at once, e.g. of the demo and of the tests, take turns with `dist`.
	await whileLocked(join(LOCAL, 'build.lock'), async () => {
		await command('npm', ['run', 'build', '--silent'], PROJECT);
		await command('npm', ['pack', '--silent', '--pack-destination', folder], PROJECT);
	});
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

/** Removes what was packed and installed from earlier states of the project, but nothing that may be in use. */
async function forgetOthers(packages: string, kept: string): Promise<void> {
	await utimes(kept, new Date(), new Date());
	for (const name of await readdir(packages)) {
		const folder = join(packages, name);
		const { mtimeMs } = await stat(folder);
		if (Date.now() - mtimeMs > KEPT_UNUSED_MS) await rm(folder, { recursive: true });
	}
}

/**
 * Installs the tarball the way a self-hoster does, with `npm install` in n8n's folder for community nodes.
 * It is done once for a tarball, because npm brings a whole n8n-workflow along; n8n's user folders link to it.
 *
 * @returns the folder to stand as `nodes` in `.n8n`
 */
export async function installPackage(tarball: string): Promise<string> {
	const folder = join(tarball, '..', 'nodes');
	await once(folder, async () => {
		await writeFile(
			join(folder, 'package.json'),
			JSON.stringify({ name: 'installed-nodes', private: true }),
		);
		await npmInstall(tarball, folder);
	});
	return folder;
}

/** Over an earlier version of the package, if there is one in the folder. */
export async function npmInstall(tarball: string, folder: string): Promise<void> {
	const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball];
	await command('npm', args, folder, ELSEWHERE);
}

/** Fills a folder, unless another run has done so; what a run left unfinished is done anew. */
async function once(folder: string, fill: () => Promise<void>): Promise<void> {
	await whileLocked(`${folder}.lock`, async () => {
		const done = join(folder, 'installed');
		if (existsSync(done)) return;
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder, { recursive: true });
		await fill();
		await writeFile(done, '');
	});
}

async function command(
	file: string,
	args: string[],
	cwd: string,
	env: NodeJS.ProcessEnv = {},
): Promise<void> {
	try {
		await run(file, args, {
			cwd,
			env: { ...process.env, ...env },
			shell: process.platform === 'win32',
			maxBuffer: 64 * 1024 * 1024,
		});
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		const printed = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
		throw new Error(`${file} ${args[0]} did not succeed in ${cwd}. It printed:\n${printed}`);
	}
}
