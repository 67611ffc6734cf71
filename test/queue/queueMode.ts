import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startN8n, type N8nOptions, type RunningN8n } from '../../tools/n8n/n8nProcess';
import { createHome, logInAt, useN8nWith } from '../n8n/realN8n';
import { randomPort } from '../support/ports';
import { startScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { startDatabases } from './databases';

/** Executions that one worker runs at the same time. */
export const WORKER_CONCURRENCY = 5;

/**
 * n8n's defaults with two exceptions: five is the lowest concurrency that n8n recommends, and a lost worker should be noticed
 * within seconds instead of a minute and a half.
 */
const WORKER_SETTINGS = {
	N8N_CONCURRENCY_PRODUCTION_LIMIT: String(WORKER_CONCURRENCY),
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/**
 * For a main that starts after a crash: an execution that nobody runs any more should be noticed within seconds, too, not hours.
 * Only then, because n8n marks an execution as crashed if it looks between saving and queueing it. In minutes.
 */
const AFTER_CRASH_SETTINGS = { N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' };

/** Shared, because workers decrypt credentials that main encrypted. */
const ENCRYPTION_KEY = randomUUID();

/** A worker of n8n's queue mode. */
export interface Worker {
	/** Reads from its log the ids of the executions that it started. */
	readStartedIds(): Promise<string[]>;
	/** Stops it, or kills it, like a power failure. */
	end(how: 'stop' | 'kill'): Promise<void>;
}

/** Starts queue mode and a scripted server. @param mainSettings environment variables for main @returns as `useN8nWith` */
export function useQueueMode(mainSettings: Record<string, string> = {}) {
	const start = async () => await startQueueMode(mainSettings);
	const { service: server, n8n: queue, credentials } = useN8nWith(startScriptedServer, start);
	return { server, queue, credentials };
}

/** Starts n8n in queue mode without workers, with the packed package in the user folder of each process. */
async function startQueueMode(mainSettings: Record<string, string>) {
	const databases = await startDatabases();
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-queue-'));
	const running = new Set<RunningN8n>();
	let main: RunningN8n;
	let workers: Worker[] = [];
	let homeCount = 0;

	const start = async (options: N8nOptions): Promise<RunningN8n> => {
		const home = await createHome(join(folder, String(homeCount++)));
		const env = { ...databases.settings, N8N_ENCRYPTION_KEY: ENCRYPTION_KEY, ...options.env };
		const n8n = await startN8n(home, randomPort(), { ...options, env });
		running.add(n8n);
		return n8n;
	};
	const stop = async () => {
		await Promise.all([...running].map(async (n8n) => await n8n.stop()));
		await databases.stop();
		await rm(folder, { recursive: true, force: true });
	};
	const startWorker = async (): Promise<Worker> => {
		// Links that workers create lead to main.
		const env = { ...WORKER_SETTINGS, WEBHOOK_URL: `${main.url}/` };
		const n8n = await start({ command: 'worker', env });
		const worker: Worker = {
			async readStartedIds() {
				const log = await readFile(n8n.logFile, 'utf8');
				return [...log.matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id);
			},
			async end(how) {
				workers = workers.filter((other) => other !== worker);
				await n8n[how]();
			},
		};
		workers.push(worker);
		return worker;
	};

	try {
		const startMain = async (env: N8nOptions['env'] = {}) => {
			main = await start({ env: { ...mainSettings, ...env } });
			return await logInAt(main);
		};
		const queue = {
			rest: await startMain(),
			get main() {
				return main;
			},
			/** Of the webhook processor, once there is one. */
			webhooksUrl: undefined as string | undefined,
			/** Starts or stops workers to reach this number. */
			async scaleWorkers(count: number) {
				while (workers.length > count) await workers.at(-1)!.end('stop');
				const missing = Array.from({ length: count - workers.length }, startWorker);
				// Waits for all of them, so that none is still starting when an error stops everything.
				for (const result of await Promise.allSettled(missing)) {
					if (result.status === 'rejected') throw result.reason;
				}
				return workers;
			},
			/** Waits until a worker starts an execution, and returns the worker. */
			async waitForWorker(executionId: string) {
				let found: Worker | undefined;
				const find = async (saw: Saw) => {
					for (const worker of workers) {
						if (saw(await worker.readStartedIds()).includes(executionId)) found = worker;
					}
					return found !== undefined;
				};
				await waitUntil(`a worker that starts execution ${executionId}`, find, N8N_LIMIT_MS);
				return found!;
			},
			/** Starts a process that only receives webhooks, and lets it receive them from now on. */
			async startWebhookProcessor() {
				const processor = await start({ command: 'webhook' });
				queue.webhooksUrl = processor.url;
				return processor;
			},
			/** Stops main, and starts it again. */
			async restartMain(whileDown: () => void) {
				await main.stop();
				whileDown();
				queue.rest = await startMain();
			},
			/** Kills main, like a power failure, and starts it again. */
			async crashMain(whileDown: () => Promise<void>) {
				await main.kill();
				await whileDown();
				queue.rest = await startMain(AFTER_CRASH_SETTINGS);
			},
			stop,
		};
		return queue;
	} catch (error) {
		await stop();
		throw error;
	}
}
