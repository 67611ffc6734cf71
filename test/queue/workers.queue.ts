import type { IDataObject, INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { ACCOUNT, saveCredential } from '../n8n/realN8n';
import { publishTrigger, TRIGGER, untilEmitted } from '../n8n/triggers';
import { publishFileSends } from '../support/fileWorkflow';
import { REQUESTS_BEFORE_STALL, stallMidway } from '../support/faults';
import {
	respondAfter,
	startScriptedServer,
	type RecordedRequest,
	type ScriptedServer,
} from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import {
	createSendParameters,
	jsonOf,
	NODE,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { waitForState } from '../support/workflow';
import { WORKER_CONCURRENCY, startQueueMode, type QueueMode, type Worker } from './queueMode';

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
	service = await startService(ACCOUNT);
	server = await startScriptedServer();
	queue = await startQueueMode();
	serviceCredentials = await saveCredential(queue.rest, { baseUrl: service.url, ...ACCOUNT });
	serverCredentials = await saveCredential(queue.rest, { baseUrl: server.url, ...ACCOUNT });
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

/** Returns the number to send to for each index from 0. */
const recipientOf = (index: number) => String(49_151_000_000 + index);

describe('a worker runs', () => {
	test('Get Status, and main can show the picture of the QR code', async () => {
		const parameters = { operation: 'getStatus', options: {} };
		const workflow = await publishFor(parameters, serviceCredentials);
		await workflow.post([{}]);
		const [execution] = await workflow.waitForExecutions(1);
		expect(execution.status).toBe('success');
		expect(await readStartedIds(workers)).toContain(execution.id);
		const [[{ json, binary }]] = outputsOf(execution, NODE);
		expect(json).toMatchObject({ is_connected: false });
		const { id } = binary!.qr;
		const picture = await queue.rest.file(`/rest/binary-data?action=view&id=${id}`);
		expect(readQrCode(picture)).toBe(service.account.qrText);
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

	test('the workflow of a trigger that main polls', async () => {
		service.account.receive({ number: '494', text: 'before it was published' });
		const workflow = await publishTrigger(queue, serviceCredentials);
		await waitForState(queue.rest, workflow.id, TRIGGER);
		service.account.receive({ number: '494', text: 'new' });
		await untilEmitted(queue, workflow, 1);
		const [execution] = await queue.rest.executions(workflow);
		expect(jsonOf(execution, TRIGGER)).toMatchObject([{ text: 'new' }]);
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

/** Starts executions at the same time, each for the next so many recipients. */
async function postAll(workflow: WebhookWorkflow, executions: number, sends: number) {
	const starts = Array.from({ length: executions }, async (_, i) => {
		const rows = Array.from({ length: sends }, (_row, j) => ({
			number: recipientOf(i * sends + j),
		}));
		await workflow.post(rows);
	});
	await Promise.all(starts);
}

/** Expects that all have succeeded, each in one of both workers, and that nobody has two messages. */
async function expectSuccess(executions: Execution[], recipientCount: number): Promise<void> {
	const failed = executions.filter(({ status }) => status !== 'success');
	expect(failed.map(({ data }) => data.resultData.error)).toEqual([]);
	const ids = executions.map(({ id }) => id);
	const startedIds = await Promise.all(
		workers.map(async (worker) => await worker.readStartedIds()),
	);
	const shares = startedIds.map((started) => started.filter((id) => ids.includes(id)));
	expect(shares.flat().sort()).toEqual([...ids].sort());
	expect(shares).not.toContainEqual([]);
	const recipients = requestedNumbers(server);
	expect(recipients).toHaveLength(recipientCount);
	expect(new Set(recipients).size).toBe(recipientCount);
}

test('two workers run 40 executions of 50 sends: each recipient gets one message', async () => {
	respondWhenRunning(WORKER_CONCURRENCY + 1, 50);
	const parameters = createSendParameters('https://example.com/a.png');
	const workflow = await publishFor(parameters, serverCredentials);
	await postAll(workflow, 40, 50);
	const executions = await workflow.waitForExecutions(40);
	await expectSuccess(executions, 2000);
	const ids = executions.flatMap((execution) => jsonOf(execution)).map(({ id }) => id);
	expect(ids.sort()).toEqual(
		requestedNumbers(server)
			.map((number) => `m${number}`)
			.sort(),
	);
});

test("two workers that send with IDs at the same time keep each other's IDs: after a second run, nobody has two messages", async () => {
	respondWhenRunning(WORKER_CONCURRENCY + 1, 60);
	const options = { concurrency: 5, sendOnceId: '={{ $json.number }}' };
	const parameters = createSendParameters('https://example.com/a.png', options);
	const workflow = await publishFor(parameters, serverCredentials);
	await postAll(workflow, 10, 60);
	await expectSuccess(await workflow.waitForExecutions(10), 600);
	await postAll(workflow, 10, 60);
	const executions = await workflow.waitForExecutions(20);
	await expectSuccess(executions, 600);
	const results = executions.flatMap((execution) => jsonOf(execution));
	expect(results.filter(({ skipped }) => skipped)).toHaveLength(600);
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
	const requested = requestedNumbers(server);
	const inFlight = requested.slice(REQUESTS_BEFORE_STALL);
	server.onRequest(send);
	await workflow.post(rows);
	const [first, second] = await workflow.waitForExecutions(2);

	const json = jsonOf(second);
	const missing = rows.filter(({ number }) => messagesOf(number) === 0);
	const duplicates = rows.filter(({ number }) => messagesOf(number) > 1);
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
		const skipped = { skipped: true, sendOnceId: order, reason: 'id' };
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
	const requested = requestedNumbers(server);
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
