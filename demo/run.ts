/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-hardcoded-secrets, @n8n/community-nodes/require-node-api-error, no-console -- not part of the published node: it installs and runs n8n on this machine and talks to the person at the terminal; its token opens nothing but the embedded service */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Listr, type ListrTask } from 'listr2';
import { getPortPromise } from 'portfinder';

import { framedBy, startDesk, type Desk } from './desk';
import { releaseLock, takeLock } from './lock.js';
import { BASICS, EXAMPLES_PORT, importExamples, readExamples } from './n8n/examples';
import { installN8n, LOCAL, PROJECT } from './n8n/install';
import { startN8n, type N8nHome, type RunningN8n } from './n8n/process';
import { N8nRest, OWNER } from './n8n/rest';
import { startService, type EmbeddedService } from './service/service';

const DESK_PORT = 3041;
const N8N_PORT = 5678;
const CREDENTIALS = { clientId: 'demo-client', token: 'demo-token-0123456789' };

/** What runs together. */
export interface Running {
	service: EmbeddedService;
	n8n: RunningN8n;
	rest: N8nRest;
	desk: Desk;
}

export interface Plan {
	/** As in `npm run NAME`. Its lock and its data in `.local` have this name too. */
	name: string;
	/** These steps bring the package into n8n's user folder. */
	bring: Array<ListrTask<N8nHome>>;
	/** Settings of n8n, by the names of its environment variables. */
	env?: Record<string, string>;
	/** What is done when all of it runs. */
	whenReady?(running: Running, signal: AbortSignal): Promise<void>;
	/** Ends after that, instead of staying open until Ctrl-C. */
	once?: boolean;
	/** Ends what the steps have started. */
	stop?(): Promise<void>;
}

/** Runs n8n with the package and the examples, the embedded service, and the page that has both side by side. */
export async function runTogether(plan: Plan): Promise<void> {
	const command = `npm run ${plan.name}`;
	const lock = join(LOCAL, `${plan.name}.lock`);
	if (!takeLock(lock)) {
		console.error(`'${command}' is running in another terminal. Stop it there with Ctrl-C.`);
		process.exit(1);
	}
	const running: Partial<Running> = {};
	const { interrupted, signal } = interruption();
	const job = mainJob(plan, running, signal);
	let exitCode = 0;
	try {
		await Promise.race([interrupted, job]);
		if (plan.once) {
			signal.throwIfAborted();
		} else if (!signal.aborted) {
			sayWhereItIs(running as Running);
			await interrupted;
		}
	} catch (error) {
		console.error(`\n'${command}' did not get to its end. ${(error as Error).message}`);
		exitCode = 1;
	} finally {
		// A step that was under way at the signal would otherwise leave behind what it starts.
		await Promise.allSettled([job]);
		await running.desk?.close();
		await running.n8n?.stop();
		await plan.stop?.();
		await running.service?.close();
		releaseLock(lock);
	}
	process.exit(exitCode);
}

/**
 * Of Ctrl-C, and of other requests to end. The listeners stay: they can come more than once, from the terminal and by way
 * of npm, and must not end the tidying up.
 */
function interruption(): { interrupted: Promise<void>; signal: AbortSignal } {
	const controller = new AbortController();
	const interrupted = new Promise<void>((resolve) => {
		for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
			process.on(name, () => {
				controller.abort(new Error('It was interrupted.'));
				resolve();
			});
		}
	});
	return { interrupted, signal: controller.signal };
}

async function mainJob(
	{ name, bring, env, whenReady }: Plan,
	running: Partial<Running>,
	signal: AbortSignal,
): Promise<void> {
	const steps: Array<ListrTask<N8nHome>> = [
		{
			title: 'Install n8n (a few minutes the first time)',
			task: async (home) => {
				home.bin = await installN8n();
				home.userFolder = join(LOCAL, name);
				await keepCacheApart(home.userFolder, name);
			},
		},
		...bring,
		{
			title: 'Start the embedded service',
			task: async () => {
				const port = await getPortPromise({ port: EXAMPLES_PORT, host: '127.0.0.1' });
				running.service = await startService(CREDENTIALS, port);
			},
		},
		{
			title: 'Import the credential and the example workflows',
			task: async (home) => await importOnce(home, running.service!.url),
		},
		{
			title: 'Start n8n',
			task: async (home) => {
				const port = await getPortPromise({ port: DESK_PORT, host: '127.0.0.1' });
				running.n8n = await startN8n(home, N8N_PORT, { env: { ...env, ...framedBy(port) } });
				running.rest = new N8nRest(running.n8n.url);
				await running.rest.logIn();
				const n8n = `${running.n8n.url}/workflow/${BASICS}`;
				const sides = { n8n, phone: running.service!.url };
				running.desk = await startDesk(port, sides, running.rest.cookie);
			},
		},
	];
	await new Listr<N8nHome>(
		steps.map((step) => unlessInterrupted(step, signal)),
		// Its own listener would end this process before it has tidied up.
		{ registerSignalListeners: false },
	).run();
	if (!signal.aborted) await whenReady?.(running as Running, signal);
}

/** What n8n, npm and others say when the signal ends them is of no interest: they have got it as well. */
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

/** n8n keeps a copy of its editor's code there, which ESLint would take for the project's. What is in node_modules it leaves alone. */
async function keepCacheApart(userFolder: string, name: string): Promise<void> {
	const folder = join(PROJECT, 'node_modules/.cache/n8n', name);
	const link = join(userFolder, '.cache');
	await mkdir(folder, { recursive: true });
	await mkdir(userFolder, { recursive: true });
	await rm(link, { recursive: true, force: true });
	await symlink(folder, link, 'junction');
}

/** Imports the examples and the credential, unless the same was imported before. */
async function importOnce(home: N8nHome, serviceUrl: string): Promise<void> {
	const credential = { baseUrl: serviceUrl, ...CREDENTIALS };
	const all = JSON.stringify([credential, await readExamples(serviceUrl)]);
	const digest = createHash('sha256').update(all).digest('hex');
	const done = join(home.userFolder, 'imported');
	if (existsSync(done) && (await readFile(done, 'utf8')) === digest) return;
	await importExamples(home, credential);
	await writeFile(done, digest);
}

function sayWhereItIs({ desk, n8n, service }: Running): void {
	console.log(`
Open this in your browser:   ${desk.url}
n8n is on the left, and the phone of the account on the right: scan, log out, and write to the account there.

Each by itself:
  n8n                        ${n8n.url}/workflow/${BASICS}
                             log in as ${OWNER.email} with password ${OWNER.password}
  the phone                  ${service.url}
  the service's description  ${service.url}/openapi.json
  an image to send           ${service.url}/pictures/sample.png

For a credential of your own, the service takes
  Base URL                   ${service.url}
  Client ID                  ${CREDENTIALS.clientId}
  Token                      ${CREDENTIALS.token}

Ctrl-C stops all of it.`);
}
