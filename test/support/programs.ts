import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { LOCAL } from '../../tools/n8n/install';
import { withLock } from '../../tools/processLock.js';

/** Tests only install system packages if this variable is set. */
const VARIABLE = 'TEST_INSTALL_PROGRAMS';

/** Finds the file of a program, on the PATH or in one of these folders. */
export const findOnPath = (name: string, folders: string[] = []): string | undefined =>
	[...(process.env.PATH ?? '').split(delimiter), ...folders]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));

/** Whether tests may install Debian packages. */
export const mayInstallPrograms = (): boolean =>
	Boolean(process.env[VARIABLE]) && findOnPath('apt-get') !== undefined;

/**
 * Installs Debian packages, if the environment allows it.
 *
 * @param advice a sentence with an alternative, if there is one
 * @throws if it is not allowed or not possible; the message names the packages
 */
export async function installFromDebian(packages: string[], advice = ''): Promise<void> {
	if (!mayInstallPrograms())
		throw new Error(
			`Programs of the Debian packages ${packages.join(' and ')} are missing. Install them, or set ${VARIABLE}=1 to let the tests install them with apt-get, as root or with sudo. ${advice}`,
		);
	// Suites that run in parallel must take turns with apt-get.
	await withLock(join(LOCAL, 'apt-get.lock'), () => {
		process.stderr.write(`Installing ${packages.join(' and ')} …\n`);
		aptGet('update');
		aptGet('install', '--yes', '--no-install-recommends', ...packages);
	});
}

export const isRoot = (): boolean => process.getuid?.() === 0;

function aptGet(...args: string[]): void {
	const command = ['apt-get', '--quiet=2', ...args];
	const [program, ...rest] = isRoot() ? command : ['sudo', '--non-interactive', ...command];
	const { status } = spawnSync(program, rest, {
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) throw new Error(`apt-get ${args[0]} failed; its output is above.`);
}
