import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopProcess } from '../../tools/n8n/n8nProcess';
import { findFreePort } from '../support/ports';
import { findOnPath, installFromDebian, isRoot } from '../support/programs';

/** Where Debian installs PostgreSQL's programs, in a folder for each version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

/** Debian's packages, by program. */
const PACKAGES = { 'redis-server': 'redis-server', initdb: 'postgresql' };

/** Installs missing databases from Debian. */
export async function installDatabases(): Promise<void> {
	const missing = Object.entries(PACKAGES).filter(([program]) => !findProgram(program));
	if (missing.length > 0) await installFromDebian(missing.map(([, name]) => name));
}

/** Starts Redis and PostgreSQL. @returns environment variables that make n8n use queue mode with them */
export async function startDatabases() {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-databases-'));
	const servers: ChildProcess[] = [];
	/** Stops the databases, and removes their data. */
	const stop = async () => {
		// On SIGINT, PostgreSQL does not wait for its clients to disconnect.
		await Promise.all(servers.map(async (server) => await stopProcess(server, 'SIGINT')));
		await rm(folder, { recursive: true, force: true });
	};
	const start = async (ready: string, ...command: Parameters<typeof spawn>) => {
		const server = spawn(...command);
		servers.push(server);
		await waitForOutput(server, ready);
	};
	try {
		const redis = String(await findFreePort());
		const args = ['--bind', '127.0.0.1', '--port', redis, '--save', '', '--dir', folder];
		await start('Ready to accept connections', findProgram('redis-server')!, args, {});
		const postgres = String(await findFreePort());
		const cluster = await createCluster(folder, postgres);
		await start('database system is ready to accept connections', ...cluster);
		const settings = {
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: redis,
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: postgres,
			DB_POSTGRESDB_DATABASE: 'postgres',
			DB_POSTGRESDB_USER: 'n8n',
		};
		return { settings, stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Creates the data of PostgreSQL. @returns the command that starts it */
async function createCluster(folder: string, port: string): Promise<Parameters<typeof spawn>> {
	const initdb = findProgram('initdb')!;
	const user = getUnprivilegedUser();
	if (user) await chown(folder, user.uid, user.gid);
	const data = join(folder, 'postgres');
	const options = { ...user, cwd: folder };
	const cluster = ['--pgdata', data, '--username', 'n8n', '--auth', 'trust', '--no-sync'];
	execFileSync(initdb, [...cluster, '--encoding', 'UTF8', '--locale', 'C'], {
		...options,
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const config = { listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' };
	const args = Object.entries(config).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	return [join(initdb, '..', 'postgres'), ['-D', data, '-p', port, ...args], options];
}

async function waitForOutput(server: ChildProcess, text: string): Promise<void> {
	let output = '';
	await new Promise<void>((resolve, reject) => {
		for (const stream of [server.stdout!, server.stderr!]) {
			stream.on('data', (chunk: Buffer) => {
				output += chunk.toString();
				if (output.includes(text)) resolve();
			});
		}
		server.once('error', reject);
		server.once('exit', () =>
			reject(new Error(`${server.spawnfile} exited. It printed:\n${output}`)),
		);
	});
}

/** Also finds PostgreSQL's programs where Debian installs them. */
function findProgram(name: string): string | undefined {
	const versions = existsSync(DEBIAN_POSTGRES) ? readdirSync(DEBIAN_POSTGRES) : [];
	const newestFirst = versions.sort((a, b) => Number(b) - Number(a));
	const folders = newestFirst.map((version) => join(DEBIAN_POSTGRES, version, 'bin'));
	return findOnPath(name, folders);
}

/** Returns a user to run PostgreSQL, which refuses to run as root; undefined if this user can run it. */
function getUnprivilegedUser(): { uid: number; gid: number } | undefined {
	if (!isRoot()) return undefined;
	const idOf = (flag: '-u' | '-g') => Number(execFileSync('id', [flag, 'nobody']).toString());
	return { uid: idOf('-u'), gid: idOf('-g') };
}
