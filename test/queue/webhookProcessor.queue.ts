import { readFile } from 'node:fs/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import type { RunningN8n } from '../../tools/n8n/n8nProcess';
import { createRows, Deliveries, readTold, toRow, type KilledList } from '../n8n/killedLists';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { publishWebhook, type WebhookWorkflow } from '../support/webhookWorkflow';
import { useQueueMode } from './queueMode';
import { startReports, type Reports } from './reports';

/** Of the only list of each workflow. */
const LIST = 0;

const LENGTH = 200;

/** Long enough for n8n's database to be written several times. */
const SERVICE_MS = 20;

let processor: RunningN8n;
let deliveries: Deliveries;
let reports: Reports;

const { queue, server, credentials } = useQueueMode({
	N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
});

beforeAll(async () => {
	processor = await queue.startWebhookProcessor();
	reports = await startReports();
});

beforeEach(async () => {
	await queue.scaleWorkers(2);
	deliveries = new Deliveries(server);
});

afterAll(async () => await reports?.close());

const publish = async (options: INode['parameters']) =>
	await publishWebhook(queue, {
		parameters: toRow({ concurrency: 5, ...options }),
		credentials,
		onError: 'continueRegularOutput',
	});

/** Starts a list, and returns the worker that is in the middle of it, with an image whose response never comes. */
async function startUntilStalled(workflow: WebhookWorkflow, rows: KilledList['rows']) {
	const list = { rows, serviceMs: SERVICE_MS, stallsAt: LENGTH / 2 };
	const stalled = deliveries.untilStalled({ [LIST]: list });
	await workflow.post(rows);
	await stalled;
	const [{ id }] = await queue.rest.listExecutions(workflow.saved);
	return { id, worker: await queue.waitForWorker(id) };
}

test('a list that a webhook processor received, then its worker killed, and posted again: nobody gets it twice', async () => {
	const rows = createRows(LIST, LENGTH);
	const workflow = await publish({ sendOnceId: '={{ $json.number }}' });
	const { id, worker } = await startUntilStalled(workflow, rows);
	expect(await readFile(processor.logFile, 'utf8')).toContain(`Enqueued execution ${id} `);
	await worker.end('kill');
	deliveries.deliverAll();
	const [killed] = await workflow.waitForExecutions(1);
	expect(killed.status).toBe('error');
	const { length } = deliveries.captions;
	// What a retry needs is gone.
	expect((await queue.rest.retry(killed, 'original')).data.resultData.runData).toEqual({});
	expect(deliveries.captions).toHaveLength(length);

	await workflow.post(rows);
	const again = (await workflow.waitForExecutions(3)).at(-1)!;
	expect(again.status).toBe('success');
	const told = readTold(again);
	expect(told).toHaveLength(LENGTH);
	deliveries.expectTrue(told);
	expect(deliveries.captions.length).toBeGreaterThan(length);
});

test('all processes killed during a list that a webhook processor received, and the execution retried: nobody gets it twice', async () => {
	const rows = createRows(LIST, LENGTH);
	const workflow = await publish({});
	const { worker } = await startUntilStalled(workflow, rows);
	await processor.kill();
	await queue.crashMain(async () => await worker.end('kill'));
	processor = await queue.startWebhookProcessor();
	deliveries.deliverAll();
	const [killed] = await workflow.waitForExecutions(1);
	expect(killed.status).toBe('crashed');

	const { length } = deliveries.captions;
	const told = readTold(await queue.rest.retry(killed, 'original'));
	expect(told).toHaveLength(LENGTH);
	deliveries.expectTrue(told);
	expect(deliveries.captions.length).toBeGreaterThan(length);
});

const UNSAVED = {
	executionOrder: 'v1',
	saveDataSuccessExecution: 'none',
	saveDataErrorExecution: 'none',
};

/** Starts a list, and waits until nothing of its execution is left. */
async function sendUnsaved({ post, saved }: WebhookWorkflow, rows: KilledList['rows']) {
	await post(rows);
	const isGone = async (saw: Saw) => saw(await queue.rest.listExecutions(saved)).length === 0;
	await waitUntil('the deletion of the execution', isGone, N8N_LIMIT_MS);
}

test('of a workflow of which n8n saves no executions, one that fails, and the next ones, with IDs: nobody gets it twice, and the rest gets it once', async () => {
	const rows = createRows(LIST, 20);
	const parameters = toRow({ sendOnceId: '={{ $json.number }}' });
	const more = { laterNodes: [reports.node] };
	const workflow = await publishWebhook(queue, { parameters, credentials }, more);
	Object.assign(workflow.saved, { settings: UNSAVED });
	await queue.rest.save(workflow.saved);
	await queue.rest.publish(workflow.saved);

	const isRefused = ({ index }: KilledList['rows'][number]) => index === 10;
	void deliveries.untilStalled({ [LIST]: { rows, serviceMs: 0, stallsAt: Infinity, isRefused } });
	await sendUnsaved(workflow, rows);
	const captions = rows.map(({ caption }) => caption);
	expect(deliveries.captions).toEqual(captions.slice(0, 10));

	deliveries.deliverAll();
	await sendUnsaved(workflow, rows);
	const halves = (first: string, second: string) =>
		rows.map((_, i) => (i < rows.length / 2 ? first : second));
	const resultsOf = (items: IDataObject[]) => items.map(({ reason }) => reason ?? 'sent');
	expect(resultsOf(await reports.waitFor(1))).toEqual(halves('id', 'sent'));
	await sendUnsaved(workflow, rows);
	expect(resultsOf(await reports.waitFor(2))).toEqual(halves('id', 'id'));
	expect(deliveries.captions).toEqual(captions);
});
