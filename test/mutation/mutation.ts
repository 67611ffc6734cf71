/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- it asks git what has changed, and talks to the person at the terminal */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';

import { PROJECT } from '../../tools/n8n/install';
import { mutatedAmong, refusal } from './files';
import { tempDirName } from './stryker.config.js';

void main(process.argv.slice(2));

/**
 * Breaks the code in many small ways, and tells which of them no test has noticed.
 *
 * @param args files; none for those that have changed since the main branch
 */
async function main(args: string[]): Promise<void> {
	const named = args.map(inProject);
	const refused = refusal(named, (file) => existsSync(join(PROJECT, file)));
	if (refused) {
		console.error(refused);
		process.exitCode = 1;
		return;
	}
	const files = named.length > 0 ? named : mutatedAmong(changedSinceMain());
	if (files.length === 0) {
		console.log('Nothing in nodes or credentials has changed since the main branch.');
		return;
	}
	// Also when it is interrupted: what is left of the code with its mutants would be linted as if it were the project's.
	process.on('exit', () =>
		rmSync(join(PROJECT, tempDirName), { recursive: true, force: true, maxRetries: 3 }),
	);
	// An ES module.
	const { Stryker } = await import('@stryker-mutator/core');
	const configFile = join(__dirname, 'stryker.config.js');
	await new Stryker({ configFile, mutate: files }).runMutationTest();
}

/** npm changes to the project; the shell has expanded names where it was. */
function inProject(name: string): string {
	const path = resolve(process.env.INIT_CWD ?? PROJECT, name);
	return relative(PROJECT, path).split(sep).join('/');
}

/** What was committed since, what was not yet, and new files. */
function changedSinceMain(): string[] {
	const isThere = (branch: string) => git('branch', '--all', '--list', branch).length > 0;
	const main = isThere('origin/main') ? 'origin/main' : 'main';
	const [base] = git('merge-base', 'HEAD', main);
	return [
		...git('diff', '--name-only', '--diff-filter=d', base),
		...git('ls-files', '--others', '--exclude-standard'),
	];
}

/** @returns the lines that it prints */
function git(...args: string[]): string[] {
	const text = execFileSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
	return text.split('\n').filter((line) => line !== '');
}
