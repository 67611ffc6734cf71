import { readFile } from 'node:fs/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import type { RunningN8n } from '../../tools/n8n/n8nProcess';
import type { Execution } from '../../tools/n8n/rest';
import { respondAfter } from '../support/scriptedServer';
import { requestedNumbers } from '../support/sendService';
import {
	createSendParameters,
	jsonOf,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { useQueueMode } from './queueMode';

const ROWS = Array.from({ length: 200 }, (_, i) => ({ number: String(49151000000 + i) }));

/** Long enough for n8n's database to be written several times. */
const SERVICE_MS = 20;

let processor: RunningN8n;

const { queue, server, credentials } = useQueueMode({
	N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
});

beforeAll(async () => {
	processor = await queue.startWebhookProcessor();
});

beforeEach(async () => {
	await queue.scaleWorkers(2);
	server.requests.length = 0;
});

const publish = async (options: INode['parameters']) =>
	await publishWebhook(queue, {
		parameters: createSendParameters('https://example.com/a.png', { concurrency: 5, ...options }),
		credentials,
		onError: 'continueRegularOutput',
	});

/** Starts the list, and returns the worker that is in the middle of it, with an image whose response never comes. */
async function startUntilStalled(workflow: WebhookWorkflow) {
	const stalled = new Promise<void>((resolve) =>
		server.onRequest(() => {
			if (server.requests.length < ROWS.length / 2) return respondAfter(SERVICE_MS, { id: 'm' });
			resolve();
			return () => {};
		}),
	);
	await workflow.post(ROWS);
	await stalled;
	const [{ id }] = await queue.rest.listExecutions(workflow.saved);
	return { id, worker: await queue.waitForWorker(id) };
}

/** Expects that nobody got an image twice, and that what is told is true: the service delivers all that is requested. */
function expectTrue(execution: Execution): void {
	const delivered = requestedNumbers(server);
	expect(new Set(delivered).size).toBe(delivered.length);
	const told = jsonOf(execution).map((json) => ((json.error ?? json) as IDataObject).delivery);
	expect(told).toHaveLength(ROWS.length);
	expect(told).not.toContain('notSent');
	const sent = ROWS.filter((_, i) => told[i] === undefined).map(({ number }) => number);
	expect(delivered).toEqual(expect.arrayContaining(sent));
}

test('a list that a webhook processor received, then its worker killed, and posted again: nobody gets it twice', async () => {
	const workflow = await publish({ sendOnceId: '={{ $json.number }}' });
	const { id, worker } = await startUntilStalled(workflow);
	expect(await readFile(processor.logFile, 'utf8')).toContain(`Enqueued execution ${id} `);
	await worker.end('kill');
	server.respondWith({ body: { id: 'm' } });
	const [killed] = await workflow.waitForExecutions(1);
	expect(killed.status).toBe('error');
	const { length } = server.requests;
	// What a retry needs is gone.
	expect((await queue.rest.retry(killed, 'original')).data.resultData.runData).toEqual({});
	expect(server.requests).toHaveLength(length);

	await workflow.post(ROWS);
	const again = (await workflow.waitForExecutions(3)).at(-1)!;
	expect(again.status).toBe('success');
	expectTrue(again);
	expect(server.requests.length).toBeGreaterThan(length);
});

test('all processes killed during a list that a webhook processor received, and the execution retried: nobody gets it twice', async () => {
	const workflow = await publish({});
	const { worker } = await startUntilStalled(workflow);
	await processor.kill();
	await queue.crashMain(async () => await worker.end('kill'));
	processor = await queue.startWebhookProcessor();
	server.respondWith({ body: { id: 'm' } });
	const [killed] = await workflow.waitForExecutions(1);
	expect(killed.status).toBe('crashed');

	const { length } = server.requests;
	expectTrue(await queue.rest.retry(killed, 'original'));
	expect(server.requests.length).toBeGreaterThan(length);
});
