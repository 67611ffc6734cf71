import type { INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { ACCOUNT, saveCredential } from '../n8n/realN8n';
import { publishTrigger, TRIGGER, untilEmitted } from '../n8n/triggers';
import { numberOf, requestedNumbers } from '../support/sendService';
import {
	createSendParameters,
	jsonOf,
	NODE,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { createNode, waitForState } from '../support/workflow';
import { useQueueMode, WORKER_CONCURRENCY, type Worker } from './queueMode';

let workers: Worker[];
/** For responses of a working service. */
let service: EmbeddedService;
let serviceCredentials: INode['credentials'];

const { queue, server, credentials: serverCredentials } = useQueueMode();

beforeAll(async () => {
	service = await startService(ACCOUNT);
	serviceCredentials = await saveCredential(queue.rest, { baseUrl: service.url, ...ACCOUNT });
});

beforeEach(async () => {
	workers = await queue.scaleWorkers(2);
	server.requests.length = 0;
});

afterAll(async () => await service?.close());

const publishFor = async (parameters: INode['parameters'], credentials: INode['credentials']) =>
	await publishWebhook(queue, { parameters, credentials });

/** Returns the ids of all executions that these workers started. */
const readStartedIds = async () =>
	await Promise.all(workers.map(async (worker) => await worker.readStartedIds()));

/** Returns the number to send to for each index from 0. */
const recipientOf = (index: number) => String(49_151_000_000 + index);

describe('a worker runs', () => {
	test('Get Status, and main can show the picture of the QR code', async () => {
		const parameters = { operation: 'getStatus', options: {} };
		const workflow = await publishFor(parameters, serviceCredentials);
		await workflow.post([{}]);
		const [execution] = await workflow.waitForExecutions(1);
		expect(execution.status).toBe('success');
		expect((await readStartedIds()).flat()).toContain(execution.id);
		const [[{ json, binary }]] = outputsOf(execution, NODE);
		expect(json).toMatchObject({ is_connected: false });
		const { id } = binary!.qr;
		const picture = await queue.rest.file(`/rest/binary-data?action=view&id=${id}`);
		expect(readQrCode(picture)).toBe(service.account.qrText);
	});

	test('Send Image with a file: the worker sends a link to main, which has the file in its database', async () => {
		service.account.scan(service.account.qrText);
		const picture = samplePicture();
		const toFile = createNode('To File', {
			type: 'n8n-nodes-base.convertToFile',
			typeVersion: 1.1,
			parameters: {
				operation: 'toBinary',
				sourceProperty: 'picture',
				options: { fileName: 'picture.png', mimeType: 'image/png' },
			},
		});
		const number = "={{ $('Rows').item.json.number }}";
		const parameters = { operation: 'sendImage', number, imageSource: 'binary' };
		const node = { parameters, credentials: serviceCredentials };
		const workflow = await publishWebhook(queue, node, { earlierNodes: [toFile] });
		await workflow.post([{ number: '49153', picture: picture.toString('base64') }]);
		const [execution] = await workflow.waitForExecutions(1);
		expect(execution.status).toBe('success');
		expect((await readStartedIds()).flat()).toContain(execution.id);
		expect(outputsOf(execution, 'To File')[0][0].binary!.data.id).toMatch(/^database:/);
		const [sent] = service.account.chats.get('49153')!;
		expect(sent.url).toContain(`${queue.rest.url}/`);
		expect(service.account.pictureIn(sent)).toEqual(picture);
	});

	test('the workflow of a trigger that main polls', async () => {
		service.account.receive({ number: '494', text: 'before it was published' });
		const workflow = await publishTrigger(queue, serviceCredentials);
		await waitForState(queue.rest, workflow.id, TRIGGER);
		service.account.receive({ number: '494', text: 'new' });
		await untilEmitted(queue, workflow, 1);
		const [execution] = await queue.rest.executions(workflow);
		expect(jsonOf(execution, TRIGGER)).toMatchObject([{ text: 'new' }]);
		expect((await readStartedIds()).flat()).toContain(execution.id);
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
		const numbers = Array.from({ length: sends }, (_number, j) => recipientOf(i * sends + j));
		await workflow.post(numbers.map((number) => ({ number })));
	});
	await Promise.all(starts);
}

/** Expects that all have succeeded, each in one of both workers, and that nobody has two messages. */
async function expectSuccess(executions: Execution[], recipientCount: number): Promise<void> {
	const failed = executions.filter(({ status }) => status !== 'success');
	expect(failed.map(({ data }) => data.resultData.error)).toEqual([]);
	const ids = executions.map(({ id }) => id);
	const startedIds = await readStartedIds();
	const shares = startedIds.map((started) => started.filter((id) => ids.includes(id)));
	expect(shares.flat().sort()).toEqual([...ids].sort());
	expect(shares).not.toContainEqual([]);
	const recipients = requestedNumbers(server);
	expect(recipients).toHaveLength(recipientCount);
	expect(new Set(recipients).size).toBe(recipientCount);
}

test.each<[executions: number, sends: number, options: INode['parameters']]>([
	[40, 50, {}],
	[10, 60, { concurrency: 5, sendOnceId: '={{ $json.number }}' }],
])(
	'two workers run %d executions of %d sends with %j: each recipient gets one message, and with IDs none in a second run',
	async (executions, sends, options) => {
		respondWhenRunning(WORKER_CONCURRENCY + 1, sends);
		const parameters = createSendParameters('https://example.com/a.png', options);
		const workflow = await publishFor(parameters, serverCredentials);
		await postAll(workflow, executions, sends);
		const count = executions * sends;
		const first = await workflow.waitForExecutions(executions);
		await expectSuccess(first, count);
		const ids = first.flatMap((execution) => jsonOf(execution)).map(({ id }) => id);
		const requested = requestedNumbers(server).map((number) => `m${number}`);
		expect(ids.sort()).toEqual(requested.sort());
		if (!options.sendOnceId) return;
		await postAll(workflow, executions, sends);
		const all = await workflow.waitForExecutions(2 * executions);
		await expectSuccess(all, count);
		const results = all.flatMap((execution) => jsonOf(execution));
		expect(results.filter(({ skipped }) => skipped)).toHaveLength(count);
	},
);
