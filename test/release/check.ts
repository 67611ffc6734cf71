/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- it reads the project, runs its tools, and talks to the person at the terminal */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { Listr } from 'listr2';

import { packInto, PROJECT } from '../../tools/n8n/install';
import {
	actionFindings,
	changelogFindings,
	contentFindings,
	linkFindings,
	manifestFindings,
	placeholderFindings,
	sizeFindings,
	versionFindings,
	type Findings,
	type Manifest,
} from './rules';

const run = promisify(execFile);

/** n8n's own scanner without its network steps, where somebody has put it beside the project. */
const SCANNER = join(PROJECT, '../shared/tools/scan-package.sh');

const WORKFLOWS = '.github/workflows';

const isWindows = process.platform === 'win32';

/** Only what is published under a tag needs the real addresses. */
const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;

/** `--linted`: whoever runs this has linted already. */
const { values: flags } = parseArgs({ options: { linted: { type: 'boolean', default: false } } });

void main();

/** Does all that a publication would do, but for the publication. */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-release-'));
	let tarball = '';
	const hints: string[] = [];
	const ofTarball = (title: string, find: () => Promise<Findings>, isAtHand = true) => ({
		...check(title, find),
		skip: () => tarball === '' || !isAtHand,
	});
	const tasks = new Listr(
		[
			{
				...check('Lint, with the rules for packages that n8n verifies', lint),
				skip: () => flags.linted,
			},
			check('package.json', async () => manifestFindings(await manifest())),
			check('Version', async () =>
				versionFindings(await manifest(), JSON.parse(await text('package-lock.json')), tag),
			),
			check('CHANGELOG.md', async () =>
				changelogFindings(await text('CHANGELOG.md'), (await manifest()).version),
			),
			check('Links', async () => {
				const files = (await readdir(PROJECT)).filter((file) => file.endsWith('.md'));
				const each = files.map(async (file) =>
					linkFindings(file, await text(file), (path) => existsSync(join(PROJECT, path))),
				);
				return (await Promise.all(each)).flat();
			}),
			check('Actions in the workflows', async () => {
				const files = await readdir(join(PROJECT, WORKFLOWS));
				const each = files.map(async (file) =>
					actionFindings(file, await text(join(WORKFLOWS, file))),
				);
				return (await Promise.all(each)).flat();
			}),
			check('Build and pack, twice the same bytes', async () => {
				tarball = await packInto(await mkdtemp(join(folder, 'first-')));
				const again = await readFile(await packInto(await mkdtemp(join(folder, 'second-'))));
				return again.equals(await readFile(tarball)) ? [] : ['The second tarball is another one.'];
			}),
			check('npm publishes for nobody but `npm run release`', publishByHand),
			ofTarball('What would be published', async () => {
				const files = await tar('-tzf', tarball);
				const { length } = await readFile(tarball);
				return [
					...contentFindings(files.trim().split('\n'), await manifest()),
					...sizeFindings(length),
				];
			}),
			ofTarball('Addresses', async () => {
				const findings = placeholderFindings(await addressFiles(tarball));
				if (tag !== undefined) return findings;
				hints.push(...findings);
				return [];
			}),
			ofTarball('n8n’s scanner', async () => await scan(tarball), existsSync(SCANNER)),
		],
		{ exitOnError: false, collectErrors: true, registerSignalListeners: false },
	);
	await tasks.run();
	await rm(folder, { recursive: true });
	if (hints.length > 0) console.log(`\nBefore a first publication:\n${hints.join('\n')}`);
	const isReady = !tasks.errors?.length;
	const { name, version } = await manifest();
	console.log(`\n${name} ${version} is ${isReady ? '' : 'not '}ready to be published.`);
	process.exit(isReady ? 0 : 1);
}

/** A step of the list: what it finds is shown under it. */
function check(title: string, find: () => Promise<Findings>) {
	return {
		title,
		task: async () => {
			const findings = await find();
			if (findings.length > 0) throw new Error(findings.join('\n'));
		},
	};
}

async function text(path: string): Promise<string> {
	return await readFile(join(PROJECT, path), 'utf8');
}

async function manifest(): Promise<Manifest> {
	return JSON.parse(await text('package.json')) as Manifest;
}

async function lint(): Promise<Findings> {
	return await printedOnFailure('npm', ['run', '--silent', 'lint']);
}

/**
 * .npmrc has npm ignore scripts, which would take `prepublishOnly` with it. `publishConfig` has it run `prepack`, and only
 * when it publishes.
 */
async function publishByHand(): Promise<Findings> {
	const env = { ...process.env, RELEASE_MODE: '' };
	const [printed = ''] = await printedOnFailure('npm', ['publish', '--dry-run'], env);
	return printed.includes('npm run release') ? [] : ['`npm publish` is not refused.'];
}

/** @returns what it printed, where it did not succeed */
async function printedOnFailure(
	file: string,
	args: string[],
	env = process.env,
): Promise<Findings> {
	try {
		await run(file, args, { cwd: PROJECT, env, shell: isWindows });
		return [];
	} catch (error) {
		const { stdout, stderr } = error as { stdout: string; stderr: string };
		return [`${stdout}${stderr}`.trim() || `${file} ${args.join(' ')} did not succeed.`];
	}
}

async function tar(...args: string[]): Promise<string> {
	return (await run('tar', args)).stdout;
}

/** The published files that lead to the project's home. */
async function addressFiles(tarball: string): Promise<Record<string, string>> {
	const files = (await tar('-tzf', tarball)).trim().split('\n');
	const named = files.filter((file) =>
		/package\.json$|\.node\.json$|\.credentials\.js$/.test(file),
	);
	const texts = named.map(async (file): Promise<[string, string]> => {
		const content = await tar('-xzOf', tarball, file);
		// What stands as an example in a field is to stay one.
		return [file, content.replaceAll(/placeholder: .*/g, '')];
	});
	return Object.fromEntries(await Promise.all(texts));
}

async function scan(tarball: string): Promise<Findings> {
	return await printedOnFailure('bash', [SCANNER, PROJECT, tarball]);
}
