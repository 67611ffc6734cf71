/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/require-node-api-error -- tests run n8n on this machine */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { prepareHome, startN8n, type N8nOptions, type RunningN8n } from '../../tools/n8n/process';
import { N8nRest } from '../../tools/n8n/rest';
import { setUp } from '../n8n/realN8n';
import { anyPort } from '../support/ports';
import { until } from '../support/until';
import { startDatabases } from './databases';

/** By one worker. */
export const EXECUTIONS_AT_ONCE = 5;

/**
 * n8n's own defaults but for two: five executions at once are the fewest that n8n finds sound, and of a worker that is
 * gone is to be heard within seconds instead of a minute and a half.
 */
const WORKER_SETTINGS = {
	N8N_CONCURRENCY_PRODUCTION_LIMIT: String(EXECUTIONS_AT_ONCE),
	QUEUE_WORKER_LOCK_DURATION: '10000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '5000',
};

/** What main encrypts, workers have to read. */
const ENCRYPTION_KEY = randomUUID();

/** An n8n main with its Redis and PostgreSQL, and workers. */
export interface QueueMode {
	rest: N8nRest;
	/** Starts or stops workers until there are so many. */
	haveWorkers(wanted: number): Promise<Worker[]>;
	/** The worker that an execution is or was carried out by, as soon as one has begun. */
	workerOf(executionId: string): Promise<Worker>;
	stop(): Promise<void>;
}

/** A worker of n8n's queue mode. */
export interface Worker {
	/** The ids of the executions that it has begun, by its own log. */
	begun(): Promise<string[]>;
	stop(): Promise<void>;
	/** Ends it the way a power failure does. */
	kill(): Promise<void>;
}

/** Starts n8n in queue mode, with the packed package in the user folder of each process. The workers come later. */
export async function startQueueMode(): Promise<QueueMode> {
	const databases = await startDatabases();
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-queue-'));
	const running = new Set<RunningN8n>();
	let workers: Worker[] = [];
	let count = 0;

	const start = async (options: N8nOptions): Promise<RunningN8n> => {
		const home = { bin: setUp('TEST_N8N_BIN'), userFolder: join(folder, String(count++)) };
		await mkdir(home.userFolder);
		await prepareHome(home, setUp('TEST_NODES_FOLDER'));
		const n8n = await startN8n(home, anyPort(), {
			...options,
			env: { ...databases.settings, N8N_ENCRYPTION_KEY: ENCRYPTION_KEY, ...options.env },
		});
		running.add(n8n);
		return n8n;
	};
	const stop = async () => {
		await Promise.all([...running].map(async (n8n) => await n8n.stop()));
		await databases.stop();
		await rm(folder, { recursive: true, force: true });
	};
	const startWorker = async (): Promise<Worker> => {
		const n8n = await start({ command: 'worker', env: WORKER_SETTINGS });
		const worker: Worker = {
			async begun() {
				const log = await readFile(n8n.logFile, 'utf8');
				return [...log.matchAll(/Worker started execution (\d+)/g)].map(([, id]) => id);
			},
			async stop() {
				workers = workers.filter((other) => other !== worker);
				await n8n.stop();
			},
			async kill() {
				workers = workers.filter((other) => other !== worker);
				await n8n.kill();
			},
		};
		workers.push(worker);
		return worker;
	};

	try {
		const main = await start({});
		const rest = new N8nRest(main.url);
		await rest.logIn();
		return {
			rest,
			async haveWorkers(wanted) {
				while (workers.length > wanted) await workers.at(-1)!.stop();
				const missing = Array.from({ length: wanted - workers.length }, startWorker);
				// All of them have started or failed before anything is stopped because of one.
				for (const result of await Promise.allSettled(missing)) {
					if (result.status === 'rejected') throw result.reason;
				}
				return workers;
			},
			async workerOf(executionId) {
				let found: Worker | undefined;
				await until(async () => {
					for (const worker of workers) {
						if ((await worker.begun()).includes(executionId)) found = worker;
					}
					return found !== undefined;
				});
				return found!;
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}
