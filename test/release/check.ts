import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import manifest from '../../package.json';
import { packInto, PROJECT } from '../../tools/n8n/install';

/** A script that runs n8n's own scanner; optional. It gets the project folder and the tarball. */
const scanner = process.env.TEST_SCANNER;

/** A larger tarball probably contains files that n8n does not load. */
const MAX_BYTES = 117_000;

/** What npm always adds, and what n8n loads. */
const PUBLISHED =
	/^package\/(package\.json|README\.md|LICENSE|dist\/(nodes|credentials)\/.*\.(js|json|svg))$/;

const WITH_ADDRESSES = /package\.json$|\.node\.json$|\.credentials\.js$|README\.md$/;

/** Placeholders of fields, and the service and the image of the README: these are meant to be examples. */
const EXAMPLES = /placeholder: .*|https:\/\/(messaging\.example\.com|example\.com\/a\.png)/g;

const PLACEHOLDER_ADDRESS = /[/@][\w.-]*\bexample\.(com|org|net)\b/;

/** What the output of a failed command begins with. */
const FAILED = 'Failed: ';

/** Placeholder addresses are an error only if a tag is to be published. */
const tag = process.env.GITHUB_REF_TYPE === 'tag' ? process.env.GITHUB_REF_NAME : undefined;

void main();

/** Checks what a release would publish. What package.json says is checked by manifest.test.ts, the code by lint. */
async function main(): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-release-'));
	const pack = async (name: string) => await packInto(await mkdtemp(join(folder, name)));
	const tarball = await pack('first-');
	const bytes = await readFile(tarball);
	const second = await readFile(await pack('second-'));
	const files = (await output('tar', '-tzf', tarball)).trim().split('\n');
	const placeholders: string[] = [];
	for (const file of files.filter((name) => WITH_ADDRESSES.test(name))) {
		const text = await output('tar', '-xzOf', tarball, file);
		if (PLACEHOLDER_ADDRESS.test(text.replaceAll(EXAMPLES, ''))) {
			placeholders.push(`${file} contains a placeholder address at example.com.`);
		}
	}
	const { nodes, credentials } = manifest.n8n;
	const needed = [
		...['package.json', 'README.md', 'LICENSE', ...nodes, ...credentials],
		...nodes.map((node) => node.replace(/\.js$/, '.json')),
	].map((file) => `package/${file}`);
	// .npmrc disables scripts, including `prepublishOnly`; `publishConfig` enables `prepack` again, only for publishing.
	const publication = await output('npm', 'publish', '--dry-run');
	const scan = scanner ? await output('bash', scanner, PROJECT, tarball) : '';
	await rm(folder, { recursive: true });

	const findings = [
		...(second.equals(bytes) ? [] : ['Two builds differ.']),
		...(bytes.length <= MAX_BYTES ? [] : [`The tarball has ${bytes.length} bytes: what is new?`]),
		...files
			.filter((file) => !PUBLISHED.test(file))
			.map((file) => `${file} would be published, but n8n does not load it.`),
		...needed
			.filter((file) => !files.includes(file))
			.map((file) => `${file} is missing from what would be published.`),
		...(publication.includes('npm run release') ? [] : ['`npm publish` is not refused.']),
		...(scan.startsWith(FAILED) ? [scan] : []),
		...(tag === undefined || tag === manifest.version
			? []
			: [`The tag is ${tag}, but the version in package.json is ${manifest.version}.`]),
		...(tag === undefined ? [] : placeholders),
	];
	if (scanner === undefined) console.log("Without n8n's scanner: TEST_SCANNER is not set.\n");
	if (tag === undefined && placeholders.length > 0) {
		console.log(`Before the first publication:\n${placeholders.join('\n')}\n`);
	}
	console.log(findings.join('\n'));
	const isReady = findings.length === 0;
	console.log(`${manifest.name} ${manifest.version} is ${isReady ? '' : 'not '}ready.`);
	process.exit(isReady ? 0 : 1);
}

/** @returns what the command printed, after `FAILED` if it failed */
async function output(file: string, ...args: string[]): Promise<string> {
	const env = { ...process.env, RELEASE_MODE: '' };
	const options = { cwd: PROJECT, env, shell: process.platform === 'win32' };
	return await promisify(execFile)(file, args, options).then(
		({ stdout }) => stdout,
		(error: { stdout: string; stderr: string }) =>
			`${FAILED}${file} ${args.join(' ')}\n${error.stdout}${error.stderr}`,
	);
}
