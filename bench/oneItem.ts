import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import type { N8nRest } from '../tools/n8n/rest';
import { saveCredential, startRealN8n } from '../test/n8n/realN8n';
import { startQueueMode } from '../test/queue/queueMode';
import { startScriptedServer, type ScriptedServer } from '../test/support/scriptedServer';
import { createNode, publishWorkflow } from '../test/support/workflow';
import {
	callInClosedLoop,
	callInOpenLoop,
	formatCallLoad,
	percentile,
	type CallLoad,
	type Calls,
} from './calls';
import {
	FLOOR,
	HTTP_REQUEST,
	httpRequest,
	sendImage,
	THIS_NODE,
	THIS_NODE_WITH_ID,
	webhook,
	type BenchNode,
} from './contenders';
import { median, type CallFigures, type OneItemFigures } from './figures';
import { INSPECT, Inspector } from './inspector';
import { shuffle, type OneItemPlan } from './plan';

/** A running n8n, in one process or more. */
interface Instance {
	rest: N8nRest;
	logFiles: string[];
	/** Rows of n8n's table of processed data. */
	readRecords(): Array<{ value: string }>;
	stop(): Promise<void>;
}

const FIELDS = {
	number: '={{ $json.body.number }}',
	url: '={{ $json.body.url }}',
	caption: '={{ $json.body.caption }}',
};

const FIRST_NUMBER = 49_151_000_000_000;

const RECORDS = 'select value from processed_data';

const KEYS_LEFT_AFTER_MS = 10_000;

function nodesByContender(baseUrl: string): Record<string, BenchNode> {
	return {
		[THIS_NODE]: sendImage(FIELDS),
		[THIS_NODE_WITH_ID]: sendImage(FIELDS, { sendOnceId: '={{ $json.body.id }}' }),
		[HTTP_REQUEST]: httpRequest(baseUrl, FIELDS),
		[FLOOR]: { type: 'CUSTOM.benchFloor', typeVersion: 1, parameters: FIELDS },
	};
}

const CUSTOM_NODES = { N8N_CUSTOM_EXTENSIONS: join(__dirname, 'nodes') };

/** n8n in one process, with SQLite. */
export async function startSqlite(): Promise<Instance> {
	const n8n = await startRealN8n(undefined, { env: CUSTOM_NODES, nodeArgs: [INSPECT] });
	const file = join(n8n.userFolder, '.n8n/database.sqlite');
	return {
		...n8n,
		logFiles: [join(n8n.userFolder, 'n8n.log')],
		readRecords() {
			const database = new DatabaseSync(file, { readOnly: true });
			const rows = database.prepare(RECORDS).all() as ReturnType<Instance['readRecords']>;
			database.close();
			return rows;
		},
	};
}

/** n8n in queue mode with two workers, and PostgreSQL. */
export async function startQueue(): Promise<Instance> {
	// Otherwise, an answer in thousands gets lost, whatever the node, and its caller waits forever: docs/queue-mode.md.
	const main = { ...CUSTOM_NODES, N8N_EXECUTIONS_QUEUE_KEEP_LAST_COMPLETED: '1000' };
	const queue = await startQueueMode([INSPECT], CUSTOM_NODES, main);
	try {
		const workers = await queue.scaleWorkers(2);
		const processes = [queue.main, ...workers.map((worker) => worker.process)];
		return {
			rest: queue.rest,
			logFiles: processes.map(({ logFile }) => logFile),
			readRecords() {
				const { databaseSettings: settings } = queue;
				const sql = `select coalesce(json_agg(t), '[]') from (${RECORDS}) t`;
				const output = execFileSync('psql', ['--tuples-only', '--no-align', '--command', sql], {
					env: {
						...process.env,
						PGHOST: settings.DB_POSTGRESDB_HOST,
						PGPORT: settings.DB_POSTGRESDB_PORT,
						PGDATABASE: settings.DB_POSTGRESDB_DATABASE,
						PGUSER: settings.DB_POSTGRESDB_USER,
						PGPASSWORD: settings.DB_POSTGRESDB_PASSWORD,
					},
				});
				return JSON.parse(output.toString()) as ReturnType<Instance['readRecords']>;
			},
			stop: queue.stop,
		};
	} catch (error) {
		await queue.stop();
		throw error;
	}
}

/**
 * Compares nodes in the workflow that is executed most often: a webhook, and one image. Every call has another recipient.
 *
 * @param start starts n8n
 * @throws Error if a call fails, or a message was sent twice or not at all
 */
export async function measureOneItem(
	start: () => Promise<Instance>,
	{ rounds, warmUp, loads }: OneItemPlan,
	onProgress: (text: string) => void,
): Promise<OneItemFigures> {
	const server = await startScriptedServer();
	const instance = await start().catch(async (error: unknown) => {
		await server.close();
		throw error;
	});
	try {
		const bench = await OneItemBench.create(server, instance);
		const contenders = Object.keys(nodesByContender(server.url)).map((name) => ({
			name,
			concurrency: 1,
		}));
		for (const { name } of contenders) {
			onProgress(`warm up, ${name}`);
			await bench.measure(name, { callers: 5, calls: warmUp }, NaN);
		}
		const measured = new Map<string, CallFigures[]>();
		const keyOf = (load: string, name: string) => JSON.stringify([load, name]);
		/** Calls a second, the more callers the more. */
		let possible = NaN;
		for (let round = 0; round < rounds; round++) {
			for (const load of loads) {
				for (const { name } of shuffle(round, contenders)) {
					const title = formatCallLoad(load);
					onProgress(`round ${round + 1} of ${rounds}, ${title}, ${name}`);
					const figures = await bench.measure(name, load, possible / 2);
					if (load.callers && name === HTTP_REQUEST) possible = figures.perSecond;
					const key = keyOf(title, name);
					measured.set(key, [...(measured.get(key) ?? []), figures]);
				}
			}
		}
		onProgress('look at what is left on record');
		await sleep(KEYS_LEFT_AFTER_MS);
		return {
			keysLeft: bench.countKeys(),
			byLoad: Object.fromEntries(
				loads.map((load) => {
					const title = formatCallLoad(load);
					const medians = contenders.map(({ name }) => [
						name,
						medianOf(measured.get(keyOf(title, name))!),
					]);
					return [title, Object.fromEntries(medians) as Record<string, CallFigures>];
				}),
			),
		};
	} finally {
		await instance.stop();
		await server.close();
	}
}

function medianOf(rounds: CallFigures[]): CallFigures {
	const of = (key: keyof CallFigures) => median(rounds.map((round) => round[key]));
	return { perSecond: of('perSecond'), median: of('median'), p95: of('p95'), cpu: of('cpu') };
}

class OneItemBench {
	private sent = 0;

	private ids = 0;

	private constructor(
		private readonly server: ScriptedServer,
		private readonly instance: Instance,
		private readonly inspectors: Inspector[],
	) {
		server.respondWith({ body: { id: 'm1' } });
	}

	static async create(server: ScriptedServer, instance: Instance): Promise<OneItemBench> {
		const { rest, logFiles } = instance;
		const logs = await Promise.all(logFiles.map(async (file) => await readFile(file, 'utf8')));
		const inspectors = await Promise.all(logs.map(Inspector.connectByLog));
		const data = { baseUrl: server.url, clientId: 'bench-client', token: 'bench-token-0123456789' };
		const credentials = await saveCredential(rest, data);
		for (const [name, node] of Object.entries(nodesByContender(server.url))) {
			await publishWorkflow(rest, name, [
				createNode('Webhook', webhook(name)),
				createNode('Send', { ...node, credentials }),
			]);
		}
		return new OneItemBench(server, instance, inspectors);
	}

	/** @param perSecond of an open loop */
	async measure(name: string, load: CallLoad, perSecond: number): Promise<CallFigures> {
		const { requests } = this.server;
		requests.length = 0;
		const first = this.sent;
		const call = async () => await this.call(name);
		for (const inspector of this.inspectors) await inspector.collectGarbage();
		const before = await this.measureCpu();
		const { ms, seconds }: Calls = load.callers
			? await callInClosedLoop(call, load.callers, load.calls)
			: await callInOpenLoop(call, perSecond, load.calls);
		const cpu = ((await this.measureCpu()) - before) / load.calls;
		const numbers = new Set(requests.map(({ body }) => (body as IDataObject).number));
		const lost = this.sent - first - numbers.size;
		const twice = requests.length - numbers.size;
		if (lost + twice > 0) {
			throw new Error(`${name}: ${lost} messages were not sent, and ${twice} more than once.`);
		}
		return { perSecond: load.calls / seconds, median: median(ms), p95: percentile(ms, 0.95), cpu };
	}

	/** Counts the keys on record, without IDs. */
	countKeys(): number {
		const counts = this.instance.readRecords().map(({ value }) => {
			const { data } = (typeof value === 'string' ? JSON.parse(value) : value) as {
				data: string[];
			};
			return data.length;
		});
		return counts.reduce((sum, count) => sum + count, 0) - this.ids;
	}

	private async call(name: string): Promise<void> {
		const n = this.sent++;
		if (name === THIS_NODE_WITH_ID) this.ids++;
		const response = await fetch(`${this.instance.rest.url}/webhook/${encodeURIComponent(name)}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json', connection: 'close' },
			body: JSON.stringify({
				id: `order-${n}`,
				number: String(FIRST_NUMBER + n),
				url: 'https://example.com/picture.png',
				caption: `Order ${n} is on its way`,
			}),
		});
		await response.arrayBuffer();
		if (!response.ok) throw new Error(`${name} failed with HTTP ${response.status}.`);
	}

	private async measureCpu(): Promise<number> {
		const usages = this.inspectors.map(async (one) => (await one.measureUsage()).cpuMs);
		return (await Promise.all(usages)).reduce((sum, ms) => sum + ms, 0);
	}
}
