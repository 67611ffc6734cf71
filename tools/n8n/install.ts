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

import { withLock } from '../processLock.js';
import { N8N_VERSION } from './versions';

export const PROJECT = resolve(__dirname, '../..');

/** Git-ignored. Later runs reuse what is installed here. */
export const LOCAL = join(PROJECT, '.local');

/** Long enough for a demo that stays open while the project changes. */
const MAX_UNUSED_MS = 3 * 60 * 60 * 1000;

/**
 * Overrides for n8n's transitive dependencies, by major version of n8n. Their ranges resolve to versions that some registries
 * lack or that no longer work with n8n. Up to 2.35, n8n gets its spreadsheet library (unused here) from outside the registry.
 */
const OVERRIDES: Record<string, Record<string, string>> = {
	'1.': {
		xlsx: '0.18.5',
		'@langchain/langgraph': '1.0.2',
		'@langchain/langgraph-checkpoint': '1.0.0',
	},
	'2.': { linkedom: '0.18.12', '@langchain/langgraph': '1.4.9' },
};

/** The database and the expression engine are the only packages that need their build scripts. */
const ONLY_BUILT_DEPENDENCIES = ['sqlite3', 'isolated-vm'];

/**
 * For installs outside the project: npm passes the project's .npmrc settings on to child processes, but n8n's database needs
 * its build script.
 */
const RUN_SCRIPTS = { ...process.env, npm_config_ignore_scripts: 'false' };

/**
 * Installs n8n unless it is already installed.
 *
 * @returns path of n8n's CLI script, to run with node
 */
export async function installN8n(version = N8N_VERSION): Promise<string> {
	const overrides = OVERRIDES[version.slice(0, 2)];
	const folder = await installWithPnpm(`n8n-${version}`, { n8n: version }, overrides);
	return join(folder, 'node_modules', 'n8n', 'bin', 'n8n');
}

/**
 * Installs n8n packages into their own folder unless they are already installed. Uses pnpm: npm takes many minutes for n8n.
 *
 * @param name of the folder in `.local`
 * @param dependencies versions by package name
 * @param overrides versions of transitive dependencies by package name
 * @returns path of the folder
 */
export async function installWithPnpm(
	name: string,
	dependencies: Record<string, string>,
	overrides: Record<string, string> = {},
): Promise<string> {
	const folder = join(LOCAL, name);
	await installOnce(folder, async () => {
		const manifest = JSON.stringify({ private: true, dependencies });
		await writeFile(join(folder, 'package.json'), manifest);
		const onlyBuiltDependencies = ONLY_BUILT_DEPENDENCIES;
		const workspace = { packages: [], overrides, onlyBuiltDependencies };
		// JSON is valid YAML.
		await writeFile(join(folder, 'pnpm-workspace.yaml'), JSON.stringify(workspace));
		const args = ['install', '--prefer-offline', '--reporter=append-only'];
		await runCommand('pnpm', args, folder, RUN_SCRIPTS);
	});
	return folder;
}

/**
 * Builds the package and packs it as published. The folder is named after the tarball's hash, so an unchanged package gives
 * the same path and reuses its previous install.
 *
 * @returns path of the tarball
 */
export async function packProject(): Promise<string> {
	const packages = join(LOCAL, 'packages');
	await mkdir(packages, { recursive: true });
	const folder = await mkdtemp(join(packages, 'new-'));
	const tarball = await packInto(folder);
	const digest = createHash('sha256').update(await readFile(tarball));
	const target = join(packages, digest.digest('hex').slice(0, 16));
	return await withLock(join(LOCAL, 'packages.lock'), async () => {
		if (existsSync(target)) await rm(folder, { recursive: true });
		else await rename(folder, target);
		await removeUnused(packages, target);
		return join(target, basename(tarball));
	});
}

/**
 * Builds the package and packs it.
 *
 * @param folder where to put the tarball; must be empty
 * @returns path of the tarball
 */
export async function packInto(folder: string): Promise<string> {
	// Concurrent runs, e.g. of the demo and the tests, share `dist`.
	await withLock(join(LOCAL, 'build.lock'), async () => {
		await runCommand('npm', ['run', 'build', '--silent'], PROJECT);
		await runCommand('npm', ['pack', '--silent', '--pack-destination', folder], PROJECT);
	});
	const [tarball] = await readdir(folder);
	return join(folder, tarball);
}

/** Removes tarballs and installs of earlier project states, except those that may still be in use. */
async function removeUnused(packages: string, current: string): Promise<void> {
	await utimes(current, new Date(), new Date());
	for (const name of await readdir(packages)) {
		const folder = join(packages, name);
		const { mtimeMs } = await stat(folder);
		if (Date.now() - mtimeMs > MAX_UNUSED_MS) await rm(folder, { recursive: true });
	}
}

/**
 * Installs the tarball as a self-hoster does, with `npm install` in a folder for community nodes. Installs each tarball only
 * once, because npm also installs all of n8n-workflow; n8n's user folders link to the result.
 *
 * @returns path of the folder to link as `.n8n/nodes`
 */
export async function installPackage(tarball: string): Promise<string> {
	const folder = join(tarball, '..', 'nodes');
	await installOnce(folder, async () => {
		const manifest = { name: 'installed-nodes', private: true };
		await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
		const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball];
		await runCommand('npm', args, folder, RUN_SCRIPTS);
	});
	return folder;
}

/** Installs into an empty folder unless an earlier run has finished doing so. An unfinished install starts over. */
async function installOnce(folder: string, install: () => Promise<void>): Promise<void> {
	await withLock(`${folder}.lock`, async () => {
		const marker = join(folder, 'installed');
		if (existsSync(marker)) return;
		await rm(folder, { recursive: true, force: true });
		await mkdir(folder, { recursive: true });
		await install();
		await writeFile(marker, '');
	});
}

/** @throws Error with the end of the command's output if it fails */
export async function runCommand(
	file: string,
	args: string[],
	cwd: string,
	env = process.env,
): Promise<void> {
	// Whose path may have spaces.
	const isNode = file === process.execPath;
	const shell = process.platform === 'win32' && !isNode;
	const options = { cwd, env, shell, maxBuffer: 64 * 1024 * 1024 };
	try {
		await promisify(execFile)(file, args, options);
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		const output = `${stdout ?? ''}${stderr ?? ''}`.trim().split('\n').slice(-15).join('\n');
		throw new Error(`${file} ${args[0]} failed in ${cwd}. Its output:\n${output}`);
	}
}
