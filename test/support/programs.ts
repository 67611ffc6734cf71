/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- tests run programs of this machine */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program's file, on the PATH or else in one of these folders. */
export function findOnPath(name: string, folders: string[] = []): string | undefined {
	return [...(process.env.PATH ?? '').split(delimiter), ...folders]
		.map((folder) => join(folder, name))
		.find((file) => existsSync(file));
}

/**
 * Installs Debian's packages.
 *
 * @param advice for whoever is not root on Debian, or whose Debian does not have them
 */
export function installFromDebian(packages: string[], advice: string): void {
	if (!isRoot() || !findOnPath('apt-get')) {
		throw new Error(`Not found: ${packages.join(' and ')}. ${advice}`);
	}
	process.stderr.write(`Installing ${packages.join(' and ')} …\n`);
	aptGet(['update'], advice);
	aptGet(['install', '--yes', '--no-install-recommends', ...packages], advice);
}

export function isRoot(): boolean {
	return process.getuid?.() === 0;
}

function aptGet(args: string[], advice: string): void {
	const { status } = spawnSync('apt-get', ['--quiet=2', ...args], {
		env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	if (status !== 0) {
		throw new Error(`apt-get ${args[0]} did not succeed; what it printed is above. ${advice}`);
	}
}
