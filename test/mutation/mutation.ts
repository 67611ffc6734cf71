/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- it runs git and prints to the terminal */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

import { PROJECT } from '../../tools/n8n/install';
import { filterMutated, findInvalidFiles } from './files';
import { tempDirName } from './stryker.config.js';

void main(process.argv.slice(2));

/**
 * Makes many small changes to the code, and reports those that no test notices.
 *
 * @param args files; if empty, the files that have changed since the main branch
 */
async function main(args: string[]): Promise<void> {
	const named = args.map(toProjectPath);
	const problem = findInvalidFiles(named, (file) => existsSync(join(PROJECT, file)));
	if (problem) {
		console.error(problem);
		process.exitCode = 1;
		return;
	}
	const files = named.length > 0 ? named : filterMutated(getChangedFiles());
	if (files.length === 0) {
		console.log('Nothing in nodes or credentials has changed since the main branch.');
		return;
	}
	// Even when interrupted: lint would otherwise also check the mutated copy of the code.
	process.on('exit', () =>
		rmSync(join(PROJECT, tempDirName), { recursive: true, force: true, maxRetries: 3 }),
	);
	// Imported dynamically, because it is an ES module.
	const { Stryker } = await import('@stryker-mutator/core');
	const configFile = join(__dirname, 'stryker.config.js');
	await new Stryker({ configFile, mutate: files }).runMutationTest();
}

/** npm runs this in the project folder, but file names are relative to where the user called npm. */
function toProjectPath(name: string): string {
	const path = resolve(process.env.INIT_CWD ?? PROJECT, name);
	return relative(PROJECT, path).split(sep).join('/');
}

/** Returns the files changed since the main branch, including uncommitted and new ones. */
function getChangedFiles(): string[] {
	const exists = (branch: string) => git('branch', '--all', '--list', branch).length > 0;
	const main = exists('origin/main') ? 'origin/main' : 'main';
	const [base] = git('merge-base', 'HEAD', main);
	return [
		...git('diff', '--name-only', '--diff-filter=d', base),
		...git('ls-files', '--others', '--exclude-standard'),
	];
}

/** @returns the lines of its output */
function git(...args: string[]): string[] {
	const text = execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
	return text.split('\n').filter((line) => line !== '');
}
