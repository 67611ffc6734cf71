import type { IDataObject, INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { saveCredential } from '../n8n/realN8n';
import { publishFileSends } from '../support/fileWorkflow';
import { REQUESTS_BEFORE_STALL, printTable, stallMidway } from '../support/faults';
import {
	respondAfter,
	startScriptedServer,
	type RecordedRequest,
	type ScriptedServer,
} from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow, waitForState } from '../support/workflow';
import { numberOf, recipientOf, runBatch, type Batch } from './batch';
import { WORKER_CONCURRENCY, startQueueMode, type QueueMode, type Worker } from './queueMode';
import { NODE, publishWebhook, createSendParameters } from '../support/webhookWorkflow';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const TRIGGER = 'Messaging Account Trigger';

/** Only a safeguard, for steps that take n8n minutes on a slow machine. */
const TIMEOUT_MS = 600_000;

/** How long the service takes for a send, so that n8n's database is written several times while a list is sent. */
const SERVICE_MS = 20;

let queue: QueueMode;
let workers: Worker[];
/** For responses of a working service. */
let service: EmbeddedService;
/** For sends with delayed or missing responses. */
let server: ScriptedServer;
let serviceCredentials: INode['credentials'];
let serverCredentials: INode['credentials'];

beforeAll(async () => {
	service = await startService(CREDENTIALS);
	server = await startScriptedServer();
	queue = await startQueueMode();
	serviceCredentials = await saveCredential(queue.rest, { baseUrl: service.url, ...CREDENTIALS });
	serverCredentials = await saveCredential(queue.rest, { baseUrl: server.url, ...CREDENTIALS });
});

beforeEach(async () => {
	workers = await queue.scaleWorkers(2);
	server.requests.length = 0;
});

afterAll(async () => {
	await queue?.stop();
	await server?.close();
	await service?.close();
});

const publishFor = async (parameters: INode['parameters'], credentials: INode['credentials']) =>
	await publishWebhook(queue, { parameters, credentials });

/** Returns the ids of all executions that these workers started. */
const readStartedIds = async (ofWorkers: Worker[]) =>
	(await Promise.all(ofWorkers.map(async (worker) => await worker.readStartedIds()))).flat();

const jsonOf = (execution: Execution) =>
	(outputsOf(execution, NODE)[0] ?? []).map(({ json }) => json);

describe('a worker runs', () => {
	async function run(parameters: INode['parameters'], rows: IDataObject[]) {
		const workflow = await publishFor(parameters, serviceCredentials);
		await workflow.post(rows);
		const [execution] = await workflow.waitForExecutions(1);
		expect(execution.status).toBe('success');
		expect(await readStartedIds(workers)).toContain(execution.id);
		return execution;
	}

	test('Get Status, and main can show the picture of the QR code', async () => {
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
		const execution = await run(createSendParameters(picture), [
			{ number: '49151' },
			{ number: '49152' },
		]);
		const sent = ['49151', '49152'].map((number) => service.account.chats.get(number));
		expect(sent).toMatchObject([[{ url: picture }], [{ url: picture }]]);
		expect(jsonOf(execution)).toEqual(sent.map((messages) => ({ id: messages![0].id })));
	});

	test('Send Image with a file: the worker sends a link to main, which has the file in its database', async () => {
		service.account.scan(service.account.qrText);
		const picture = samplePicture();
		const workflow = await publishFileSends(queue, {}, { credentials: serviceCredentials });
		await workflow.post([{ number: '49153', picture: picture.toString('base64') }]);
		const [execution] = await workflow.waitForExecutions(1);
		expect(execution.status).toBe('success');
		expect(await readStartedIds(workers)).toContain(execution.id);
		expect(outputsOf(execution, 'To File')[0][0].binary!.data.id).toMatch(/^database:/);
		const [sent] = service.account.chats.get('49153')!;
		expect(sent.url).toContain(`${queue.rest.url}/`);
		const [hash] = sent.picture!.split('/').reverse();
		expect(service.account.pictures.get(hash)!.bytes).toEqual(picture);
	});

	test('Get Messages, with the token of the link that was sent masked', async () => {
		service.account.receive({ number: '493', text: 'Hello' });
		const execution = await run({ operation: 'getMessages', options: {} }, [{}]);
		const messages = service.account.lastMessages();
		const masked = messages.map((message) => ({
			...message,
			...(message.url && { url: message.url.replace(/token=.+/, 'token=***') }),
		}));
		expect(masked).not.toEqual(messages);
		expect(jsonOf(execution)).toEqual(masked);
	});

	test('the workflow of a trigger that main polls', async () => {
		service.account.receive({ number: '494', text: 'before it was published' });
		const nodes = [
			createNode(TRIGGER, {
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: {
					event: 'newMessage',
					pollTimes: POLL_TIMES,
					options: {},
				},
				credentials: serviceCredentials,
			}),
			createNode('Messages', { type: 'n8n-nodes-base.noOp', parameters: {} }),
		];
		const workflow = await publishWorkflow(queue.rest, TRIGGER, nodes);
		await waitForState(queue.rest, workflow.id, TRIGGER);
		service.account.receive({ number: '494', text: 'new' });
		await waitUntil(
			'an execution',
			async () => (await queue.rest.listExecutions(workflow)).length,
			N8N_LIMIT_MS,
		);
		const [execution] = await queue.rest.executions(workflow);
		expect(outputsOf(execution, 'Messages')[0]).toMatchObject([{ json: { text: 'new' } }]);
		expect(await readStartedIds(workers)).toContain(execution.id);
	});
});

/**
 * Holds all responses until this many executions are running. If that is more than one worker runs at a time, both must take
 * part, however fast each is.
 *
 * @param sends number of sends per execution; each to the next recipient of `recipientOf`
 */
function respondWhenRunning(executions: number, sends: number): void {
	const running = new Set<number>();
	const held: Array<() => void> = [];
	server.onRequest((request) => (response) => {
		running.add(Math.floor((Number(numberOf(request)) - Number(recipientOf(0))) / sends));
		held.push(() => {
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ id: `m${numberOf(request)}` }));
		});
		if (running.size >= executions) held.splice(0).forEach((respond) => respond());
	});
}

describe('40 executions of 50 sends', () => {
	const LOAD = { executions: 40, sends: 50 };
	const batches = new Map<number, Batch>();

	beforeAll(async () => {
		for (const count of [2, 1]) {
			workers = await queue.scaleWorkers(count);
			respondWhenRunning(count === 2 ? WORKER_CONCURRENCY + 1 : 1, LOAD.sends);
			batches.set(count, await runBatch(queue, workers, server, serverCredentials, LOAD));
		}
	}, TIMEOUT_MS);

	test.each([1, 2])('all succeed on %d, and each recipient gets one message', (count) => {
		const { failed, ids, recipients } = batches.get(count)!;
		expect(failed).toEqual([]);
		expect(ids).toHaveLength(LOAD.executions * LOAD.sends);
		expect(new Set(ids)).toEqual(new Set(recipients.map((number) => `m${number}`)));
		expect(recipients).toHaveLength(LOAD.executions * LOAD.sends);
		expect(new Set(recipients).size).toBe(LOAD.executions * LOAD.sends);
	});

	test.each([1, 2])('each runs once on %d', (count) => {
		const { shares } = batches.get(count)!;
		expect(shares).toHaveLength(count);
		expect(shares.reduce((sum, share) => sum + share)).toBe(LOAD.executions);
	});

	test('both workers take part', () => {
		expect(Math.min(...batches.get(2)!.shares)).toBeGreaterThan(0);
	});
});

test("two workers that send with IDs at the same time keep each other's IDs: after a second run, nobody has two messages", async () => {
	const EXECUTION_COUNT = 10;
	const SEND_COUNT = 60;
	respondWhenRunning(WORKER_CONCURRENCY + 1, SEND_COUNT);
	const rows = Array.from({ length: EXECUTION_COUNT * SEND_COUNT }, (_, i) => ({
		number: recipientOf(i),
	}));
	const options = { concurrency: 5, sendOnceId: '={{ $json.number }}' };
	const workflow = await publishFor(
		createSendParameters('https://example.com/a.png', options),
		serverCredentials,
	);
	const runAll = async () => {
		const starts = Array.from({ length: EXECUTION_COUNT }, async (_, i) => {
			await workflow.post(rows.slice(i * SEND_COUNT, (i + 1) * SEND_COUNT));
		});
		await Promise.all(starts);
	};

	await runAll();
	const first = await workflow.waitForExecutions(EXECUTION_COUNT);
	await runAll();
	const all = await workflow.waitForExecutions(2 * EXECUTION_COUNT);

	for (const worker of workers) {
		const startedIds = await worker.readStartedIds();
		expect(first.filter(({ id }) => startedIds.includes(id))).not.toEqual([]);
	}
	expect(all.filter(({ status }) => status !== 'success')).toEqual([]);
	const recipients = server.requests.map(numberOf);
	expect(recipients).toHaveLength(rows.length);
	expect(new Set(recipients).size).toBe(rows.length);
	const skipped = all.flatMap(jsonOf).filter((json) => json.skipped);
	expect(skipped).toHaveLength(rows.length);
});

test('a worker killed during 200 sends with IDs, and the workflow run again: no duplicates, and none missing without being listed', async () => {
	const concurrency = 5;
	const rows = Array.from({ length: 200 }, (_, i) => ({
		number: recipientOf(i),
		order: `order-${i}`,
	}));
	const messages = new Map<string, number>();
	const messagesOf = (number: string) => messages.get(number) ?? 0;
	const send = (request: RecordedRequest) => {
		const number = numberOf(request);
		messages.set(number, messagesOf(number) + 1);
		return { body: { id: `m${number}` } };
	};
	const stalled = stallMidway(server, send, concurrency);
	const options = { concurrency, sendOnceId: '={{ $json.order }}' };
	const workflow = await publishFor(
		createSendParameters('https://example.com/a.png', options),
		serverCredentials,
	);

	await workflow.post(rows);
	await stalled;
	const [killed] = await queue.rest.listExecutions(workflow.saved);
	const worker = await queue.waitForWorker(killed.id);
	await worker.kill();
	const others = workers.filter((other) => other !== worker);
	const requested = server.requests.map(numberOf);
	const inFlight = requested.slice(REQUESTS_BEFORE_STALL);
	server.onRequest(send);
	await workflow.post(rows);
	const [first, second] = await workflow.waitForExecutions(2);

	const json = jsonOf(second);
	const missing = rows.filter(({ number }) => messagesOf(number) === 0);
	const duplicates = rows.filter(({ number }) => messagesOf(number) > 1);
	printTable('A worker killed during 200 sends', [
		{
			'first execution': first.status,
			'in flight': inFlight.length,
			'sent by the second': json.filter(({ id }) => id !== undefined).length,
			skipped: json.filter(({ skipped }) => skipped).length,
			unknown: json.filter(({ delivery }) => delivery === 'unknown').length,
			duplicates: duplicates.length,
			missing: missing.map(({ order }) => order).join(', '),
		},
	]);
	expect(first.status).not.toBe('success');
	// What a retry needs is gone.
	expect(jsonOf(await queue.rest.retry(first, 'original'))).toEqual([]);
	expect(second.status).toBe('success');
	expect(await readStartedIds(others)).toContain(second.id);
	expect(duplicates).toEqual([]);
	const unknownOrders = json
		.filter(({ delivery }) => delivery === 'unknown')
		.map(({ sendOnceId }) => sendOnceId);
	expect(unknownOrders).toEqual(expect.arrayContaining(missing.map(({ order }) => order)));
	rows.forEach(({ number, order }, i) => {
		const skipped = { skipped: true, sendOnceId: order };
		const unknown = { ...skipped, delivery: 'unknown' };
		const sent = { id: `m${number}` };
		// The next ones were reserved, less than a second's worth of them.
		if (!requested.includes(number)) expect([sent, unknown]).toContainEqual(json[i]);
		else if (inFlight.includes(number)) expect(json[i]).toEqual(unknown);
		else expect([skipped, unknown]).toContainEqual(json[i]);
	});
});

// If only the worker is killed, main replaces what a retry needs by the error.
test('main and a worker killed during 200 sends without IDs, and the execution retried: no duplicates, and each item comes out', async () => {
	const concurrency = 2;
	const rows = Array.from({ length: 200 }, (_, i) => ({ number: recipientOf(i) }));
	const messages: string[] = [];
	const send = (request: RecordedRequest) => {
		const number = numberOf(request);
		messages.push(number);
		return respondAfter(SERVICE_MS, { id: `m${number}` });
	};
	const stalled = stallMidway(server, send, concurrency);
	const workflow = await publishWebhook(queue, {
		parameters: createSendParameters('https://example.com/a.png', { concurrency }),
		credentials: serverCredentials,
		onError: 'continueRegularOutput',
	});

	await workflow.post(rows);
	await stalled;
	const [{ id }] = await queue.rest.listExecutions(workflow.saved);
	const worker = await queue.waitForWorker(id);
	await queue.crashMain(async () => await worker.kill());
	const requested = server.requests.map(numberOf);
	const answered = requested.slice(0, REQUESTS_BEFORE_STALL);
	server.onRequest(send);
	const [killed] = await workflow.waitForExecutions(1);
	expect(killed.status).toBe('crashed');

	const retry = async () => {
		const retried = await queue.rest.retry(killed, 'original');
		expect(retried.status).toBe('success');
		return jsonOf(retried).map(
			({ id: message, sent, error }) => (error as IDataObject)?.delivery ?? sent ?? message,
		);
	};
	const results = await retry();
	const sentNow = server.requests.slice(requested.length).map(numberOf);
	const again = await retry();

	expect(new Set(messages).size).toBe(messages.length);
	expect(results).toHaveLength(rows.length);
	rows.forEach(({ number }, i) => {
		const isSent = results[i] === true;
		if (isSent) expect(answered).toContain(number);
		else if (results[i] !== 'unknown') expect(results[i]).toBe(`m${number}`);
		expect(sentNow.includes(number)).toBe(results[i] === `m${number}`);
	});
	expect(results).toContain(true);
	expect(sentNow).not.toEqual([]);
	expect(again).toEqual(results.map((result) => (result === 'unknown' ? 'unknown' : true)));
	expect(server.requests).toHaveLength(requested.length + sentNow.length);
});
