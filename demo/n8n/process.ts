/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/require-node-api-error -- not part of the published node: it runs n8n on this machine */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

import { getPortsPromise } from 'portfinder';

import { LOCAL } from './install';

const START_LIMIT_MS = 300_000;
const STOP_LIMIT_MS = 20_000;
const POLL_MS = 200;

/** Characters of n8n's output that are kept to tell why it did not start. */
const LAST_WORDS = 4000;

/** n8n, and where it keeps its data. */
export interface N8nHome {
	/** The file to run with node. */
	bin: string;
	/** What n8n calls its user folder: `.n8n` is in it. */
	userFolder: string;
}

export interface RunningN8n {
	/** e.g. http://127.0.0.1:5678 */
	url: string;
	/** Of its process. */
	pid: number;
	/** What it printed. */
	logFile: string;
	stop(): Promise<void>;
	/** Ends it the way a power failure does. */
	kill(): Promise<void>;
}

/** How n8n is started where that is not with `n8n start` and its own defaults. */
export interface N8nOptions {
	/** A worker carries out the executions of queue mode, and serves nothing at its `url`. */
	command?: 'start' | 'worker';
	/** Settings, by the names of n8n's environment variables. */
	env?: Record<string, string>;
	/** Arguments for the `node` that runs it. */
	nodeArgs?: string[];
}

/**
 * What n8n prints when it is ready. That something answers at its address is not enough: it may be the n8n of another
 * run, which was faster to take the port.
 */
const READY = { start: 'Editor is now accessible', worker: 'n8n worker is now ready' };

/** Makes n8n's user folder, with the folder of installed community nodes linked into it. */
export async function prepareHome(home: N8nHome, nodesFolder: string): Promise<void> {
	const dotN8n = join(home.userFolder, '.n8n');
	await mkdir(dotN8n, { recursive: true });
	const link = join(dotN8n, 'nodes');
	if (await lstat(link).catch(() => undefined)) await rm(link, { recursive: true });
	await symlink(nodesFolder, link, 'junction');
}

/** Runs one command of n8n's own CLI to its end, e.g. `import:workflow`. */
export async function runCli(home: N8nHome, args: string[]): Promise<void> {
	try {
		await promisify(execFile)(process.execPath, [home.bin, ...args], {
			env: environment(home),
		});
	} catch (error) {
		const { stdout, stderr } = error as { stdout?: string; stderr?: string };
		throw new Error(`n8n ${args[0]} did not succeed. It printed:\n${stdout}${stderr}`);
	}
}

/**
 * Starts n8n on loopback ports and waits until it is ready. A port that another process takes in the meantime is no
 * reason to give up: it is started again on others.
 *
 * @param fromPort the first port to try
 */
export async function startN8n(
	home: N8nHome,
	fromPort: number,
	{ command = 'start', env = {}, nodeArgs = [] }: N8nOptions = {},
): Promise<RunningN8n> {
	const logFile = join(home.userFolder, 'n8n.log');
	for (let port = fromPort; ; port += 2) {
		const [ownPort, brokerPort] = await getPortsPromise(2, { port, host: '127.0.0.1' });
		const child = spawn(process.execPath, [...nodeArgs, home.bin, command], {
			env: {
				...environment(home),
				...env,
				N8N_PORT: String(ownPort),
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
			},
			stdio: ['ignore', 'pipe', 'pipe'],
		});
		const log = createWriteStream(logFile, { flags: 'a' });
		let printed = '';
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk: Buffer) => {
				printed = `${printed}${chunk.toString()}`.slice(-LAST_WORDS);
				log.write(chunk);
			});
		}
		child.once('close', () => log.end());
		const url = `http://127.0.0.1:${ownPort}`;
		try {
			await untilReady(child, async () => {
				if (!printed.includes(READY[command])) return false;
				return command === 'worker' || (await answers(url));
			});
			return {
				url,
				pid: child.pid!,
				logFile,
				stop: async () => await stopProcess(child),
				kill: async () => await end(child, 'SIGKILL'),
			};
		} catch (error) {
			await stopProcess(child);
			if (!/port \d+ .*in use|EADDRINUSE/i.test(printed)) {
				throw new Error(`${(error as Error).message} It printed:\n${printed}`);
			}
		}
	}
}

async function untilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
	const deadline = Date.now() + START_LIMIT_MS;
	while (Date.now() < deadline) {
		if (hasEnded(child)) throw new Error('n8n ended.');
		if (await isReady()) return;
		await sleep(POLL_MS);
	}
	throw new Error(`n8n was not ready after ${START_LIMIT_MS / 1000} s.`);
}

async function answers(url: string): Promise<boolean> {
	const answer = await fetch(`${url}/rest/settings`).catch(() => undefined);
	return answer?.ok === true;
}

function hasEnded(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

/** Ends a process, at first with a signal that lets it tidy up. */
export async function stopProcess(
	child: ChildProcess,
	signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
	const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
	await end(child, signal);
	clearTimeout(timer);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (hasEnded(child)) return;
	const ended = once(child, 'exit');
	child.kill(signal);
	await ended;
}

/**
 * n8n for itself: it neither calls home nor listens anywhere but on the loopback interface, and settings meant for
 * another n8n on this machine do not reach it.
 */
function environment({ userFolder }: N8nHome): NodeJS.ProcessEnv {
	return {
		...Object.fromEntries(
			Object.entries(process.env).filter(([name]) => !/^(N8N|DB|EXECUTIONS|QUEUE)_/.test(name)),
		),
		NODE_ENV: 'production',
		N8N_USER_FOLDER: userFolder,
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
		// Node's own: what one start has compiled, the next one takes from there.
		NODE_COMPILE_CACHE: join(LOCAL, 'compile-cache'),
	};
}
