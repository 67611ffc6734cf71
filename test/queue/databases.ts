import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { stopProcess } from '../../tools/n8n/n8nProcess';
import { findFreePort } from '../support/ports';
import { findOnPath, installFromDebian, isRoot } from '../support/programs';

/** Where Debian installs PostgreSQL's programs, in a folder for each version. */
const DEBIAN_POSTGRES = '/usr/lib/postgresql';

const REDIS = { program: 'redis-server', debian: 'redis-server', variable: 'TEST_REDIS_URL' };
const POSTGRES = { program: 'initdb', debian: 'postgresql', variable: 'TEST_POSTGRES_URL' };

/** Installs missing databases from Debian, unless the environment contains their addresses. */
export async function installDatabases(): Promise<void> {
	const missing = [REDIS, POSTGRES].filter(
		({ program, variable }) => !process.env[variable] && !findProgram(program),
	);
	if (missing.length === 0) return;
	const variables = missing.map(({ variable }) => variable).join(' and ');
	const advice = `Or set the addresses of servers in ${variables}; see CONTRIBUTING.md.`;
	const packages = missing.map(({ debian }) => debian);
	await installFromDebian(packages, advice);
}

/** Starts Redis and PostgreSQL for queue mode, except for those with an address in the environment. */
export async function startDatabases() {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-databases-'));
	const servers: ChildProcess[] = [];
	/** Stops the databases started here, and removes their data. */
	const stop = async () => {
		// On SIGINT, PostgreSQL does not wait for its clients to disconnect.
		await Promise.all(servers.map(async (server) => await stopProcess(server, 'SIGINT')));
		await rm(folder, { recursive: true, force: true });
	};
	try {
		const redis = process.env[REDIS.variable] || (await startRedis(folder, servers));
		const postgres = process.env[POSTGRES.variable] || (await startPostgres(folder, servers));
		return { settings: createSettings(new URL(redis), new URL(postgres)), stop };
	} catch (error) {
		await stop();
		throw error;
	}
}

/** @returns its address */
async function startRedis(folder: string, servers: ChildProcess[]): Promise<string> {
	const port = await findFreePort();
	const args = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--dir', folder];
	const server = spawn(findProgram(REDIS.program)!, args);
	servers.push(server);
	await waitForOutput(server, 'Ready to accept connections');
	return `redis://127.0.0.1:${port}/0`;
}

/** @returns its address */
async function startPostgres(folder: string, servers: ChildProcess[]): Promise<string> {
	const port = await findFreePort();
	const initdb = findProgram(POSTGRES.program)!;
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
	const postgres = join(initdb, '..', 'postgres');
	const server = spawn(postgres, ['-D', data, '-p', String(port), ...args], options);
	servers.push(server);
	await waitForOutput(server, 'database system is ready to accept connections');
	return `postgres://n8n@127.0.0.1:${port}/postgres`;
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

/** Environment variables that make n8n use queue mode with these databases. */
function createSettings(redis: URL, postgres: URL): Record<string, string> {
	for (const { protocol, search } of [redis, postgres]) {
		if (!/^(redis|postgres|postgresql):$/.test(protocol) || search) {
			throw new Error(
				`${REDIS.variable} and ${POSTGRES.variable} must be addresses without TLS and parameters; see CONTRIBUTING.md.`,
			);
		}
	}
	const prefix = `messaging-account-test-${randomUUID()}`;
	return {
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: redis.hostname,
		QUEUE_BULL_REDIS_PORT: redis.port || '6379',
		QUEUE_BULL_REDIS_DB: redis.pathname.slice(1) || '0',
		QUEUE_BULL_REDIS_USERNAME: decodeURIComponent(redis.username),
		QUEUE_BULL_REDIS_PASSWORD: decodeURIComponent(redis.password),
		QUEUE_BULL_PREFIX: prefix,
		N8N_REDIS_KEY_PREFIX: prefix,
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: postgres.hostname,
		DB_POSTGRESDB_PORT: postgres.port || '5432',
		DB_POSTGRESDB_DATABASE: postgres.pathname.slice(1),
		DB_POSTGRESDB_USER: decodeURIComponent(postgres.username),
		DB_POSTGRESDB_PASSWORD: decodeURIComponent(postgres.password),
	};
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
