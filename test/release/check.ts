/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- it reads files, runs tools and prints to the terminal */
import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';

import { Listr } from 'listr2';

import { packInto, PROJECT } from '../../tools/n8n/install';
import { findBrokenLinks } from '../docs/documents';
import {
	actionFindings,
	changelogFindings,
	contentFindings,
	manifestFindings,
	placeholderFindings,
	sizeFindings,
	versionFindings,
	type Findings,
	type Manifest,
} from './rules';

const run = promisify(execFile);

/** n8n's own scanner without its network steps; optional, next to the project folder. */
const SCANNER = join(PROJECT, '../shared/tools/scan-package.sh');

const WORKFLOWS = '.github/workflows';

const isWindows = process.platform === 'win32';

/** Placeholder addresses are an error only if a tag is to be published. */
const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;

/** `--linted` skips lint, if the caller already ran it. */
const { values: flags } = parseArgs({ options: { linted: { type: 'boolean', default: false } } });

void main();

/** Runs every step of a publication except publishing. */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-release-'));
	let tarball = '';
	const hints: string[] = [];
	const checkTarball = (title: string, find: () => Promise<Findings>, isEnabled = true) => ({
		...check(title, find),
		skip: () => tarball === '' || !isEnabled,
	});
	const tasks = new Listr(
		[
			{
				...check('Lint, with the rules for verified packages', lint),
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
				const documents = globSync(['*.md', 'docs/*.md'], { cwd: PROJECT });
				return documents.flatMap(findBrokenLinks);
			}),
			check('GitHub Actions', async () => {
				const files = await readdir(join(PROJECT, WORKFLOWS));
				const each = files.map(async (file) =>
					actionFindings(file, await text(join(WORKFLOWS, file))),
				);
				return (await Promise.all(each)).flat();
			}),
			check('Reproducible build', async () => {
				tarball = await packInto(await mkdtemp(join(folder, 'first-')));
				const second = await readFile(await packInto(await mkdtemp(join(folder, 'second-'))));
				return second.equals(await readFile(tarball)) ? [] : ['Two builds differ.'];
			}),
			check('npm publishes only with `npm run release`', checkManualPublish),
			checkTarball('Published files', async () => {
				const files = await tar('-tzf', tarball);
				const { length } = await readFile(tarball);
				return [
					...contentFindings(files.trim().split('\n'), await manifest()),
					...sizeFindings(length),
				];
			}),
			checkTarball('Addresses', async () => {
				const findings = placeholderFindings(await readFilesWithAddresses(tarball));
				if (tag !== undefined) return findings;
				hints.push(...findings);
				return [];
			}),
			checkTarball('n8n’s scanner', async () => await scan(tarball), existsSync(SCANNER)),
		],
		{ exitOnError: false, collectErrors: true, registerSignalListeners: false },
	);
	await tasks.run();
	await rm(folder, { recursive: true });
	if (hints.length > 0) console.log(`\nBefore the first publication:\n${hints.join('\n')}`);
	const isReady = !tasks.errors?.length;
	const { name, version } = await manifest();
	console.log(`\n${name} ${version} is ${isReady ? '' : 'not '}ready to be published.`);
	process.exit(isReady ? 0 : 1);
}

/** Creates a task that fails with the findings. */
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
	return await runForErrors('npm', ['run', '--silent', 'lint']);
}

/**
 * Checks that npm refuses a manual publish. .npmrc disables scripts, including `prepublishOnly`; `publishConfig` enables
 * `prepack` again, only for publishing.
 */
async function checkManualPublish(): Promise<Findings> {
	const env = { ...process.env, RELEASE_MODE: '' };
	const [output = ''] = await runForErrors('npm', ['publish', '--dry-run'], env);
	return output.includes('npm run release') ? [] : ['`npm publish` is not refused.'];
}

/** @returns the output if the command failed */
async function runForErrors(file: string, args: string[], env = process.env): Promise<Findings> {
	try {
		await run(file, args, { cwd: PROJECT, env, shell: isWindows });
		return [];
	} catch (error) {
		const { stdout, stderr } = error as { stdout: string; stderr: string };
		return [`${stdout}${stderr}`.trim() || `${file} ${args.join(' ')} failed.`];
	}
}

async function tar(...args: string[]): Promise<string> {
	return (await run('tar', args)).stdout;
}

/** Returns the published files that contain addresses of the project. */
async function readFilesWithAddresses(tarball: string): Promise<Record<string, string>> {
	const files = (await tar('-tzf', tarball)).trim().split('\n');
	const matching = files.filter((file) =>
		/package\.json$|\.node\.json$|\.credentials\.js$/.test(file),
	);
	const texts = matching.map(async (file): Promise<[string, string]> => {
		const content = await tar('-xzOf', tarball, file);
		// Placeholders of fields are meant to be examples.
		return [file, content.replaceAll(/placeholder: .*/g, '')];
	});
	return Object.fromEntries(await Promise.all(texts));
}

async function scan(tarball: string): Promise<Findings> {
	return await runForErrors('bash', [SCANNER, PROJECT, tarball]);
}
