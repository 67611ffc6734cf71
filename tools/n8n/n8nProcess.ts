import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { getPortsPromise } from 'portfinder';

import { LOCAL, runCommand } from './install';

const START_TIMEOUT_MS = 300_000;
const STOP_TIMEOUT_MS = 20_000;
const POLL_MS = 200;

/** Only the end of n8n's output goes into the error of a failed start. */
const MAX_OUTPUT_CHARS = 4000;

/** An n8n installation and its data. */
export interface N8nHome {
	/** n8n's CLI script, to run with node. */
	bin: string;
	/** n8n's `N8N_USER_FOLDER`, the parent of `.n8n`. */
	userFolder: string;
}

export interface RunningN8n {
	/** e.g. http://127.0.0.1:5678 */
	url: string;
	pid: number;
	/** stdout and stderr. */
	logFile: string;
	/** Resolves when n8n has exited, for whatever reason. */
	exited: Promise<unknown>;
	/** Shuts n8n down. */
	stop(): Promise<void>;
	/** Kills n8n without a shutdown, like a power failure. */
	kill(): Promise<void>;
}

/** Defaults to a plain `n8n start`. */
export interface N8nOptions {
	/** In queue mode, `worker` runs executions and serves nothing at its `url`, and `webhook` serves only webhooks. */
	command?: 'start' | 'worker' | 'webhook';
	/** Environment variables for n8n. */
	env?: Record<string, string>;
	/** Command-line options for node. */
	nodeArgs?: string[];
}

/**
 * n8n prints this when it is ready. A response from its address is not enough: it may come from the n8n of another run that
 * took the port first.
 */
const READY = {
	start: 'Editor is now accessible',
	worker: 'n8n worker is now ready',
	webhook: 'Webhook listener waiting for requests',
};

/** Creates n8n's user folder and links the installed community nodes into it. */
export async function prepareHome(home: N8nHome, nodesFolder: string): Promise<void> {
	const dotN8n = join(home.userFolder, '.n8n');
	await mkdir(dotN8n, { recursive: true });
	const link = join(dotN8n, 'nodes');
	if (await lstat(link).catch(() => undefined)) await rm(link, { recursive: true });
	await symlink(nodesFolder, link, 'junction');
}

/** Runs a command of n8n's CLI, e.g. `import:workflow`. */
export async function runCli(home: N8nHome, args: string[]): Promise<void> {
	await runCommand(process.execPath, [home.bin, ...args], home.userFolder, environment(home));
}

/**
 * Starts n8n on loopback ports and waits until it is ready. If another process takes one of the ports in the meantime, tries
 * again with other ports.
 *
 * @param fromPort first port to try
 * @throws Error with the end of n8n's output if n8n exits or is not ready in time
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
		let output = '';
		// With N8N_LOG_LEVEL=debug, the line is soon no more among the last ones.
		let hasPrintedReady = false;
		for (const stream of [child.stdout, child.stderr]) {
			stream.on('data', (chunk: Buffer) => {
				output += chunk.toString();
				hasPrintedReady ||= output.includes(READY[command]);
				output = output.slice(-MAX_OUTPUT_CHARS);
				log.write(chunk);
			});
		}
		child.once('close', () => log.end());
		const url = `http://127.0.0.1:${ownPort}`;
		try {
			await waitUntilReady(child, async () => {
				if (!hasPrintedReady) return false;
				return command !== 'start' || (await isServing(url));
			});
			return {
				url,
				pid: child.pid!,
				logFile,
				exited: once(child, 'exit'),
				stop: async () => await stopProcess(child),
				kill: async () => await signalAndWait(child, 'SIGKILL'),
			};
		} catch (error) {
			await stopProcess(child);
			if (!/port \d+ .*in use|EADDRINUSE/i.test(output)) {
				throw new Error(`${(error as Error).message} Its output:\n${output}`);
			}
		}
	}
}

async function waitUntilReady(child: ChildProcess, isReady: () => Promise<boolean>): Promise<void> {
	const deadline = Date.now() + START_TIMEOUT_MS;
	while (Date.now() < deadline) {
		if (hasExited(child)) throw new Error('n8n exited.');
		if (await isReady()) return;
		await sleep(POLL_MS);
	}
	throw new Error(`n8n was not ready within ${START_TIMEOUT_MS / 1000} s.`);
}

async function isServing(url: string): Promise<boolean> {
	const response = await fetch(`${url}/rest/settings`).catch(() => undefined);
	return response?.ok === true;
}

function hasExited(child: ChildProcess): boolean {
	return child.exitCode !== null || child.signalCode !== null;
}

/** Asks a process to exit, and kills it if it does not do so in time. */
export async function stopProcess(
	child: ChildProcess,
	signal: NodeJS.Signals = 'SIGTERM',
): Promise<void> {
	const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
	await signalAndWait(child, signal);
	clearTimeout(timer);
}

async function signalAndWait(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
	if (hasExited(child)) return;
	const exited = once(child, 'exit');
	child.kill(signal);
	await exited;
}

/**
 * Isolates n8n: it sends no telemetry, listens only on the loopback interface, and ignores settings meant for another n8n on
 * this machine.
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
		// Read by Node itself: later starts reuse the code compiled by earlier ones.
		NODE_COMPILE_CACHE: join(LOCAL, 'compile-cache'),
	};
}
