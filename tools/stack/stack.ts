import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { Listr, type ListrTask } from 'listr2';
import { getPortPromise } from 'portfinder';

import { startService, type EmbeddedService } from '../embeddedService/service';
import { BASICS, EXAMPLES_PORT, importExamples, readExamples } from '../n8n/exampleWorkflows';
import { installN8n, LOCAL, PROJECT } from '../n8n/install';
import { startN8n, type N8nHome, type RunningN8n } from '../n8n/n8nProcess';
import { N8nRest, OWNER } from '../n8n/rest';
import { releaseLock, takeLock } from '../processLock.js';
import { openBrowser } from './openBrowser';
import { allowFraming, startSplitView, type SplitView } from './splitView';

const SPLIT_VIEW_PORT = 3041;
const N8N_PORT = 5678;
const CREDENTIALS = { clientId: 'demo-client', token: 'demo-token-0123456789' };

export interface Stack {
	service: EmbeddedService;
	n8n: RunningN8n;
	rest: N8nRest;
	splitView: SplitView;
}

export interface StackOptions {
	/** The npm script. Also names the lock file and the data folder in `.local`. */
	name: string;
	/** Install the package into n8n's user folder. */
	installSteps: Array<ListrTask<N8nHome>>;
	/** Environment variables for n8n. */
	env?: Record<string, string>;
	/** Called once everything is running. */
	whenReady?(stack: Stack, signal: AbortSignal): Promise<void>;
	/** First remove the data of earlier runs. */
	fresh: boolean;
	/** Open the split view in the browser, where there is one, unless it runs only `once`. */
	open: boolean;
	/** Stop after `whenReady` instead of running until Ctrl-C. */
	once?: boolean;
	/** Stops processes that the install steps have started. */
	stop?(): Promise<void>;
}

/**
 * Runs n8n with the package and the examples, the embedded service, and the split view that shows both. Exits the process
 * when done.
 */
export async function runStack(options: StackOptions): Promise<void> {
	const command = `npm run ${options.name}`;
	const lock = join(LOCAL, `${options.name}.lock`);
	if (!takeLock(lock)) {
		console.error(
			`'${command}' is already running in another terminal. Stop it there with Ctrl-C.`,
		);
		process.exit(1);
	}
	const stack: Partial<Stack> = {};
	const { interrupted, signal } = listenForInterrupt();
	const started = start(options, stack, signal);
	let exitCode = 0;
	try {
		await Promise.race([interrupted, started]);
		if (options.once) {
			signal.throwIfAborted();
		} else if (!signal.aborted) {
			printUrls(stack as Stack);
			console.log(`\n${describeData(options.name)}\n\nCtrl-C stops all of it.`);
			if (options.open) await openBrowser(stack.splitView!.url);
			await Promise.race([interrupted, stack.n8n!.exited]);
			if (!signal.aborted) throw new Error(`n8n has exited. See the end of ${stack.n8n!.logFile}`);
		}
	} catch (error) {
		console.error(`\n'${command}' failed: ${(error as Error).message}`);
		exitCode = 1;
	} finally {
		// A step interrupted halfway could still start a process or server: wait for it before cleaning up.
		await Promise.allSettled([started]);
		await stack.splitView?.close();
		await stack.n8n?.stop();
		await options.stop?.();
		await stack.service?.close();
		releaseLock(lock);
	}
	if (signal.aborted) console.log(`\nStopped. ${describeData(options.name)}`);
	process.exit(exitCode);
}

/**
 * Listens for Ctrl-C and other termination signals. The listeners stay in place: a signal can arrive more than once, from
 * the terminal and through npm, and must not cut the cleanup short.
 */
function listenForInterrupt(): { interrupted: Promise<void>; signal: AbortSignal } {
	const controller = new AbortController();
	const interrupted = new Promise<void>((resolve) => {
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
			process.on(name, () => {
				controller.abort(new Error('Interrupted.'));
				resolve();
			});
		}
	});
	return { interrupted, signal: controller.signal };
}

/** Fills `stack` step by step, so a failed or interrupted start can be cleaned up. */
async function start(
	{ name, installSteps, env, whenReady, fresh }: StackOptions,
	stack: Partial<Stack>,
	signal: AbortSignal,
): Promise<void> {
	const userFolder = join(LOCAL, name);
	const steps: Array<ListrTask<N8nHome>> = [
		{
			title: 'Remove the data of earlier runs',
			enabled: fresh,
			task: async () => await rm(userFolder, { recursive: true, force: true }),
		},
		{
			title: 'Install n8n (takes a few minutes the first time)',
			task: async (home) => {
				home.bin = await installN8n();
				home.userFolder = userFolder;
				await mkdir(userFolder, { recursive: true });
			},
		},
		...installSteps,
		{
			title: 'Start the embedded service',
			task: async () => {
				const port = await getPortPromise({ port: EXAMPLES_PORT, host: '127.0.0.1' });
				stack.service = await startService(CREDENTIALS, port);
			},
		},
		{
			title: 'Import the credential and the example workflows',
			task: async (home) => await importOnce(home, stack.service!.url),
		},
		{
			title: 'Start n8n',
			task: async (home) => {
				const port = await getPortPromise({ port: SPLIT_VIEW_PORT, host: '127.0.0.1' });
				stack.n8n = await startN8n(home, N8N_PORT, { env: { ...env, ...allowFraming(port) } });
				stack.rest = new N8nRest(stack.n8n.url);
				await stack.rest.logIn();
				const n8n = `${stack.n8n.url}/workflow/${BASICS}`;
				const urls = { n8n, phone: stack.service!.url };
				stack.splitView = await startSplitView(port, urls, stack.rest.cookie);
			},
		},
	];
	await new Listr<N8nHome>(
		steps.map((step) => unlessInterrupted(step, signal)),
		// Listr's own listener would exit the process before the cleanup.
		{ registerSignalListeners: false },
	).run();
	if (!signal.aborted) await whenReady?.(stack as Stack, signal);
}

/** Skips the step after an interrupt, and ignores its errors: the signal also stops n8n, npm and other child processes. */
function unlessInterrupted(step: ListrTask<N8nHome>, signal: AbortSignal): ListrTask<N8nHome> {
	return {
		...step,
		skip: () => signal.aborted,
		async task(home, task) {
			try {
				await step.task?.(home, task);
			} catch (error) {
				if (!signal.aborted) throw error;
				task.skip('Interrupted');
			}
		},
	};
}

/** Imports the examples and the credential unless their content is unchanged since the last import. */
async function importOnce(home: N8nHome, serviceUrl: string): Promise<void> {
	const credential = { baseUrl: serviceUrl, ...CREDENTIALS };
	const content = JSON.stringify([credential, await readExamples(serviceUrl)]);
	const digest = createHash('sha256').update(content).digest('hex');
	const marker = join(home.userFolder, 'imported');
	if (existsSync(marker) && (await readFile(marker, 'utf8')) === digest) return;
	await importExamples(home, credential);
	await writeFile(marker, digest);
}

function printUrls({ splitView, n8n, service }: Stack): void {
	console.log(`
Open this in your browser:   ${splitView.url}
n8n is on the left, the account's phone on the right. On the phone, scan the QR code, log out, or write to the account.

Individual addresses:
  n8n                        ${n8n.url}/workflow/${BASICS}
                             log in as ${OWNER.email} with password ${OWNER.password}
  the phone                  ${service.url}
  the service's OpenAPI      ${service.url}/openapi.json
  an image to send           ${service.url}/pictures/sample.png

To create your own credential, enter:
  Base URL                   ${service.url}
  Client ID                  ${CREDENTIALS.clientId}
  Token                      ${CREDENTIALS.token}`);
}

/** What is there at the next start, and what is not. */
function describeData(name: string): string {
	const folder = relative(PROJECT, join(LOCAL, name));
	return `n8n keeps its workflows, credentials and executions in ${folder}; the phone's chats are only in memory.
To begin anew, run 'npm run ${name} -- --fresh'.`;
}
