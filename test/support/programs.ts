/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- tests run programs of this machine */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { LOCAL } from '../../tools/n8n/install';
import { withLock } from '../../tools/lock.js';

/** Tests install nothing on a machine unless they are asked to. */
const VARIABLE = 'TEST_INSTALL_PROGRAMS';

/** A program's file, on the PATH or else in one of these folders. */
export function findOnPath(name: string, folders: string[] = []): string | undefined {
	return [...(process.env.PATH ?? '').split(delimiter), ...folders]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}

/**
 * Installs Debian's packages, where that is asked for.
 *
 * @param advice what else helps, as a sentence
 * @throws where it is not asked for, or cannot be done here; the message names the packages
 */
export async function installFromDebian(packages: string[], advice: string): Promise<void> {
	if (!process.env[VARIABLE] || !findOnPath('apt-get')) {
		throw new Error(
			`This machine lacks what is in Debian's packages ${packages.join(' and ')}. Install it, or set ${VARIABLE}=1 to have the tests do it with apt-get, as root or with sudo. ${advice}`,
		);
	}
	// Two suites that start at once take turns with apt-get.
	await withLock(join(LOCAL, 'apt-get.lock'), () => {
		process.stderr.write(`Installing ${packages.join(' and ')} …\n`);
		aptGet('update');
		aptGet('install', '--yes', '--no-install-recommends', ...packages);
	});
}

export function isRoot(): boolean {
	return process.getuid?.() === 0;
}

function aptGet(...args: string[]): void {
	const command = ['apt-get', '--quiet=2', ...args];
	const [program, ...rest] = isRoot() ? command : ['sudo', '--non-interactive', ...command];
	const { status } = spawnSync(program, rest, {
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) {
		throw new Error(`apt-get ${args[0]} did not succeed; what it printed is above.`);
	}
}
