/* eslint-disable @n8n/community-nodes/no-restricted-globals -- the latency of a service is a timer */
import type { IDataObject, INode } from 'n8n-workflow';

import { hasEnded, outputsOf, type Execution, type SavedWorkflow } from '../../demo/n8n/rest';
import { readQrCode } from '../../demo/qrReader';
import { startService, type EmbeddedService } from '../../demo/service/service';
import { saveCredential } from '../n8n/realN8n';
import { ANSWERED, printTable, untilInTheMiddle } from '../support/faults';
import {
	startScriptedServer,
	type RecordedRequest,
	type ScriptedServer,
} from '../support/scriptedServer';
import { until } from '../support/until';
import { node, publish } from '../support/workflow';
import { startQueueMode, type QueueMode, type Worker } from './queueMode';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const NODE = 'Messaging Account';
const TRIGGER = 'Messaging Account Trigger';

/** A limit, not a measure, for what takes n8n minutes where the machine is slow. */
const LIMIT_MS = 600_000;

let queue: QueueMode;
let workers: Worker[];
/** For what a working service answers. */
let service: EmbeddedService;
/** For sends that take their time, or never end. */
let server: ScriptedServer;
let ofService: INode['credentials'];
let ofServer: INode['credentials'];

beforeAll(async () => {
	service = await startService(CREDENTIALS);
	server = await startScriptedServer();
	queue = await startQueueMode();
	ofService = await saveCredential(queue.rest, { baseUrl: service.url, ...CREDENTIALS });
	ofServer = await saveCredential(queue.rest, { baseUrl: server.url, ...CREDENTIALS });
});

beforeEach(async () => {
	workers = await queue.haveWorkers(2);
	server.requests.length = 0;
});

afterAll(async () => {
	await queue?.stop();
	await server?.close();
	await service?.close();
});

/** A workflow that runs when rows are posted to it: each of them is an item for the node. */
interface WebhookWorkflow {
	saved: SavedWorkflow;
	/** Gives no answer but that the execution was enqueued. */
	post(rows: IDataObject[]): Promise<void>;
}

let saved = 0;

/** Sends, or what else the parameters say, for each row. */
async function publishWebhook(
	parameters: INode['parameters'],
	credentials: INode['credentials'],
): Promise<WebhookWorkflow> {
	const path = `rows-${++saved}`;
	const nodes = [
		node('Webhook', {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, options: {} },
		}),
		node('Rows', {
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		}),
		node(NODE, {
			type: 'n8n-nodes-messaging-account.messagingAccount',
			parameters,
			credentials,
		}),
	];
	return {
		saved: await publish(queue.rest, path, nodes),
		async post(rows) {
			const { ok } = await fetch(`${queue.rest.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ rows }),
			});
			expect(ok).toBe(true);
		},
	};
}

/** Send Image to each row's number. */
const sendTo = (url: string, options: INode['parameters'] = {}) => ({
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url,
	options,
});

/** Waits for as many executions as there are to be, each at its end. */
async function executionsOf({ saved }: WebhookWorkflow, count: number): Promise<Execution[]> {
	await until(async () => {
		const listed = await queue.rest.listed(saved);
		return listed.length >= count && listed.every(hasEnded);
	});
	return await queue.rest.executions(saved);
}

/** The ids of the executions that these workers have begun, by their own logs. */
const begunBy = async (some: Worker[]) =>
	(await Promise.all(some.map(async (worker) => await worker.begun()))).flat();

const jsonOf = (execution: Execution) =>
	(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json);

describe('a worker carries out', () => {
	async function run(parameters: INode['parameters'], rows: IDataObject[]) {
		const workflow = await publishWebhook(parameters, ofService);
		await workflow.post(rows);
		const [execution] = await executionsOf(workflow, 1);
		expect(execution.status).toBe('success');
		expect(await begunBy(workers)).toContain(execution.id);
		return execution;
	}

	test('Get Status, and the QR code is a picture that main can show', async () => {
		const execution = await run({ operation: 'getStatus', options: {} }, [{}]);
		const [[{ json, binary }]] = outputsOf(execution, NODE);
		expect(json).toMatchObject({ is_connected: false });
		const { id } = binary!.qr;
		const picture = await queue.rest.file(`/rest/binary-data?action=view&id=${id}`);
		expect(readQrCode(picture)).toBe(service.account.qrText);
	});

	test('Send Image', async () => {
		service.account.scan(service.account.qrText);
		const picture = `${service.url}/pictures/sample.png`;
		const execution = await run(sendTo(picture), [{ number: '491' }, { number: '492' }]);
		const sent = ['491', '492'].map((number) => service.account.chats.get(number));
		expect(sent).toMatchObject([[{ url: picture }], [{ url: picture }]]);
		expect(jsonOf(execution)).toEqual(sent.map((messages) => ({ id: messages![0].id })));
	});

	test('Get Messages', async () => {
		service.account.receive({ number: '493', text: 'Hello' });
		const execution = await run({ operation: 'getMessages', options: {} }, [{}]);
		expect(jsonOf(execution)).toEqual(service.account.lastMessages());
	});

	test('what the trigger found when main polled', async () => {
		service.account.receive({ number: '494', text: 'before it was published' });
		const nodes = [
			node(TRIGGER, {
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: {
					event: 'newMessage',
					pollTimes: { item: [{ mode: 'everyMinute' }] },
					options: {},
				},
				credentials: ofService,
			}),
			node('Messages', { type: 'n8n-nodes-base.noOp', parameters: {} }),
		];
		const workflow = await publish(queue.rest, TRIGGER, nodes);
		service.account.receive({ number: '494', text: 'new' });
		await until(async () => (await queue.rest.listed(workflow)).length > 0);
		const [execution] = await queue.rest.executions(workflow);
		expect(outputsOf(execution, 'Messages')[0]).toMatchObject([{ json: { text: 'new' } }]);
		expect(await begunBy(workers)).toContain(execution.id);
	});
});

const numberOf = ({ body }: RecordedRequest) => (body as IDataObject).number as string;

describe('40 executions of 50 sends, with a service that takes 50 ms for each', () => {
	const EXECUTIONS = 40;
	const SENDS = 50;
	const LATENCY_MS = 50;

	interface Batch {
		/** How many executions each worker carried out. */
		shares: number[];
		/** How many executions did not succeed. */
		failed: number;
		/** The recipient of each request. */
		recipients: string[];
		perSecond: number;
	}

	const batches: Batch[] = [];

	/** Starts all executions at once, with recipients of their own. */
	async function runBatch(): Promise<Batch> {
		server.requests.length = 0;
		const workflow = await publishWebhook(sendTo('https://example.com/a.png'), ofServer);
		const rows = Array.from({ length: EXECUTIONS * SENDS }, (_, i) => ({ number: String(i) }));
		await Promise.all(
			Array.from(
				{ length: EXECUTIONS },
				async (_, i) => await workflow.post(rows.slice(i * SENDS, (i + 1) * SENDS)),
			),
		);
		const executions = await executionsOf(workflow, EXECUTIONS);
		const times = (of: 'startedAt' | 'stoppedAt') => executions.map((one) => Date.parse(one[of]));
		const seconds = (Math.max(...times('stoppedAt')) - Math.min(...times('startedAt'))) / 1000;
		const ids = new Set(executions.map(({ id }) => id));
		return {
			shares: await Promise.all(
				workers.map(async (worker) => (await worker.begun()).filter((id) => ids.has(id)).length),
			),
			failed: executions.filter(({ status }) => status !== 'success').length,
			recipients: server.requests.map(numberOf),
			perSecond: EXECUTIONS / seconds,
		};
	}

	const batchesOn = (count: number) => batches.filter(({ shares }) => shares.length === count);

	beforeAll(async () => {
		server.answerEach((request) => (response) => {
			setTimeout(() => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify({ id: `m${numberOf(request)}` }));
			}, LATENCY_MS);
		});
		for (const count of [2, 1]) {
			workers = await queue.haveWorkers(count);
			batches.push(await runBatch(), await runBatch());
		}
		printTable(
			'40 executions of 50 sends',
			batches.map(({ perSecond, shares }) => ({
				workers: shares.length,
				'executions per second': perSecond.toFixed(2),
				'carried out by each': shares.join(' + '),
			})),
		);
	}, LIMIT_MS);

	test.each([1, 2])('all succeed on %d, and each recipient is sent to once', (count) => {
		expect(batchesOn(count)).toHaveLength(2);
		for (const { failed, recipients } of batchesOn(count)) {
			expect(failed).toBe(0);
			expect(recipients).toHaveLength(EXECUTIONS * SENDS);
			expect(new Set(recipients).size).toBe(EXECUTIONS * SENDS);
		}
	});

	test('spread over both workers', () => {
		for (const { shares } of batchesOn(2)) {
			expect(shares[0] + shares[1]).toBe(EXECUTIONS);
			expect(Math.min(...shares)).toBeGreaterThanOrEqual(EXECUTIONS / 4);
		}
	});

	test('two workers do at least 1.7 times the executions per second of one', () => {
		// The better of two: what slows one down is a worker's first work, or something else on this machine.
		const best = (count: number) => Math.max(...batchesOn(count).map(({ perSecond }) => perSecond));
		expect(best(2) / best(1)).toBeGreaterThanOrEqual(1.7);
	});
});

test('two workers that send with IDs at the same time undo nothing of each other: run again, nobody gets a second message', async () => {
	const EXECUTIONS = 10;
	const SENDS = 60;
	server.answerEach((request) => ({ body: { id: `m${numberOf(request)}` } }));
	const rows = Array.from({ length: EXECUTIONS * SENDS }, (_, i) => ({ number: String(i) }));
	const options = { concurrency: 5, sendOnceId: '={{ $json.number }}' };
	const workflow = await publishWebhook(sendTo('https://example.com/a.png', options), ofServer);
	const runAll = async () => {
		const starts = Array.from({ length: EXECUTIONS }, async (_, i) => {
			await workflow.post(rows.slice(i * SENDS, (i + 1) * SENDS));
		});
		await Promise.all(starts);
	};

	await runAll();
	const first = await executionsOf(workflow, EXECUTIONS);
	await runAll();
	const all = await executionsOf(workflow, 2 * EXECUTIONS);

	for (const worker of workers) {
		const begun = await worker.begun();
		expect(first.filter(({ id }) => begun.includes(id))).not.toEqual([]);
	}
	expect(all.filter(({ status }) => status !== 'success')).toEqual([]);
	const recipients = server.requests.map(numberOf);
	expect(recipients).toHaveLength(rows.length);
	expect(new Set(recipients).size).toBe(rows.length);
	const skipped = all.flatMap(jsonOf).filter((json) => json.skipped);
	expect(skipped).toHaveLength(rows.length);
});

test('a worker killed in the middle of 200 sends with an ID for each, and the workflow run again: nobody twice, nobody lost that is not named', async () => {
	const concurrency = 5;
	const rows = Array.from({ length: 200 }, (_, i) => ({
		number: String(49151000000 + i),
		order: `order-${i}`,
	}));
	const messages = new Map<string, number>();
	const messagesOf = (number: string) => messages.get(number) ?? 0;
	const send = (request: RecordedRequest) => {
		const number = numberOf(request);
		messages.set(number, messagesOf(number) + 1);
		return { body: { id: `m${number}` } };
	};
	const inTheMiddle = untilInTheMiddle(server, send, concurrency);
	const options = { concurrency, sendOnceId: '={{ $json.order }}' };
	const workflow = await publishWebhook(sendTo('https://example.com/a.png', options), ofServer);

	await workflow.post(rows);
	await inTheMiddle;
	const [killed] = await queue.rest.listed(workflow.saved);
	const worker = await queue.workerOf(killed.id);
	await worker.kill();
	const others = workers.filter((other) => other !== worker);
	const requested = server.requests.map(numberOf);
	const inFlight = requested.slice(ANSWERED);
	server.answerEach(send);
	await workflow.post(rows);
	const [first, second] = await executionsOf(workflow, 2);

	const json = jsonOf(second);
	const missing = rows.filter(({ number }) => messagesOf(number) === 0);
	const twice = rows.filter(({ number }) => messagesOf(number) > 1);
	printTable('A worker killed in the middle of 200 sends', [
		{
			'first execution': first.status,
			'in flight': inFlight.length,
			'sent by the second': json.filter(({ id }) => id !== undefined).length,
			skipped: json.filter(({ skipped }) => skipped).length,
			twice: twice.length,
			missing: missing.map(({ order }) => order).join(', '),
		},
	]);
	expect(first.status).not.toBe('success');
	expect(second.status).toBe('success');
	expect(await begunBy(others)).toContain(second.id);
	expect(twice).toEqual([]);
	expect(inFlight).toEqual(expect.arrayContaining(missing.map(({ number }) => number)));
	rows.forEach(({ number, order }, i) => {
		const isOnRecord = requested.includes(number);
		expect(json[i]).toEqual(
			isOnRecord ? { skipped: true, sendOnceId: order } : { id: `m${number}` },
		);
	});
});
