import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { saveCredential } from '../n8n/realN8n';
import { ANSWERED, printTable, untilInTheMiddle } from '../support/faults';
import {
	startScriptedServer,
	type RecordedRequest,
	type ScriptedServer,
} from '../support/scriptedServer';
import { until } from '../support/until';
import { node, POLL_TIMES, publish } from '../support/workflow';
import { numberOf, runBatch, type Batch } from './batch';
import { EXECUTIONS_AT_ONCE, startQueueMode, type QueueMode, type Worker } from './queueMode';
import { NODE, publishWebhook, sendTo } from './webhookWorkflow';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
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

const publishFor = async (parameters: INode['parameters'], credentials: INode['credentials']) =>
	await publishWebhook(queue.rest, parameters, credentials);

/** The ids of the executions that these workers have begun, by their own logs. */
const begunBy = async (some: Worker[]) =>
	(await Promise.all(some.map(async (worker) => await worker.begun()))).flat();

const jsonOf = (execution: Execution) =>
	(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json);

describe('a worker carries out', () => {
	async function run(parameters: INode['parameters'], rows: IDataObject[]) {
		const workflow = await publishFor(parameters, ofService);
		await workflow.post(rows);
		const [execution] = await workflow.executions(1);
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
					pollTimes: POLL_TIMES,
					options: {},
				},
				credentials: ofService,
			}),
			node('Messages', { type: 'n8n-nodes-base.noOp', parameters: {} }),
		];
		const workflow = await publish(queue.rest, TRIGGER, nodes);
		service.account.receive({ number: '494', text: 'new' });
		await until(async () => (await queue.rest.listExecutions(workflow)).length > 0);
		const [execution] = await queue.rest.executions(workflow);
		expect(outputsOf(execution, 'Messages')[0]).toMatchObject([{ json: { text: 'new' } }]);
		expect(await begunBy(workers)).toContain(execution.id);
	});
});

/**
 * Answers nobody before so many executions are under way, and then everybody. With more of them than one worker carries out
 * at once, both have to take part, however fast each is.
 *
 * @param sends of each execution; the recipients are 0, 1, 2 …
 */
function answerWhenUnderWay(executions: number, sends: number): void {
	const underWay = new Set<number>();
	const waiting: Array<() => void> = [];
	server.answerEach((request) => (response) => {
		underWay.add(Math.floor(Number(numberOf(request)) / sends));
		waiting.push(() => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ id: `m${numberOf(request)}` }));
		});
		if (underWay.size >= executions) waiting.splice(0).forEach((answer) => answer());
	});
}

describe('40 executions of 50 sends', () => {
	const LOAD = { executions: 40, sends: 50 };
	const batches = new Map<number, Batch>();

	beforeAll(async () => {
		for (const count of [2, 1]) {
			workers = await queue.haveWorkers(count);
			answerWhenUnderWay(count === 2 ? EXECUTIONS_AT_ONCE + 1 : 1, LOAD.sends);
			batches.set(count, await runBatch(queue, workers, server, ofServer, LOAD));
		}
	}, LIMIT_MS);

	test.each([1, 2])('all succeed on %d, and each recipient is sent to once', (count) => {
		const { failed, ids, recipients } = batches.get(count)!;
		expect(failed).toBe(0);
		expect(ids).toHaveLength(LOAD.executions * LOAD.sends);
		expect(new Set(ids)).toEqual(new Set(recipients.map((number) => `m${number}`)));
		expect(recipients).toHaveLength(LOAD.executions * LOAD.sends);
		expect(new Set(recipients).size).toBe(LOAD.executions * LOAD.sends);
	});

	test.each([1, 2])('each is carried out once on %d', (count) => {
		const { shares } = batches.get(count)!;
		expect(shares).toHaveLength(count);
		expect(shares.reduce((sum, share) => sum + share)).toBe(LOAD.executions);
	});

	test('both workers take part', () => {
		expect(Math.min(...batches.get(2)!.shares)).toBeGreaterThan(0);
	});
});

test('two workers that send with IDs at the same time undo nothing of each other: run again, nobody gets a second message', async () => {
	const EXECUTIONS = 10;
	const SENDS = 60;
	answerWhenUnderWay(EXECUTIONS_AT_ONCE + 1, SENDS);
	const rows = Array.from({ length: EXECUTIONS * SENDS }, (_, i) => ({ number: String(i) }));
	const options = { concurrency: 5, sendOnceId: '={{ $json.number }}' };
	const workflow = await publishFor(sendTo('https://example.com/a.png', options), ofServer);
	const runAll = async () => {
		const starts = Array.from({ length: EXECUTIONS }, async (_, i) => {
			await workflow.post(rows.slice(i * SENDS, (i + 1) * SENDS));
		});
		await Promise.all(starts);
	};

	await runAll();
	const first = await workflow.executions(EXECUTIONS);
	await runAll();
	const all = await workflow.executions(2 * EXECUTIONS);

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
	const workflow = await publishFor(sendTo('https://example.com/a.png', options), ofServer);

	await workflow.post(rows);
	await inTheMiddle;
	const [killed] = await queue.rest.listExecutions(workflow.saved);
	const worker = await queue.workerOf(killed.id);
	await worker.kill();
	const others = workers.filter((other) => other !== worker);
	const requested = server.requests.map(numberOf);
	const inFlight = requested.slice(ANSWERED);
	server.answerEach(send);
	await workflow.post(rows);
	const [first, second] = await workflow.executions(2);

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
