import { readFile } from 'node:fs/promises';

import { numberOf, requestedNumbers } from '../support/sendService';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { createSendParameters, publishWebhook } from '../support/webhookWorkflow';
import { useQueueMode } from './queueMode';
import { startReports, type Reports } from './reports';

/** Of ended executions, n8n deletes all, every three seconds. In hours, numbers of executions, and minutes. */
const PRUNING = {
	EXECUTIONS_DATA_PRUNE: 'true',
	EXECUTIONS_DATA_MAX_AGE: '0',
	EXECUTIONS_DATA_PRUNE_MAX_COUNT: '1',
	EXECUTIONS_DATA_HARD_DELETE_BUFFER: '0',
	EXECUTIONS_DATA_PRUNE_SOFT_DELETE_INTERVAL: '0.05',
	EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.05',
	// Only then, n8n's log tells which executions it deletes.
	N8N_LOG_LEVEL: 'debug',
};

const SENDS = 200;
const ROWS = Array.from({ length: SENDS }, (_, i) => ({ number: String(49_151_000_000 + i) }));

let reports: Reports;

const { queue, server, credentials } = useQueueMode(PRUNING);

beforeAll(async () => {
	reports = await startReports();
	await queue.scaleWorkers(1);
});

afterAll(async () => await reports?.close());

/** Responds to half of the sends, and holds the others. @returns once one is held: what responds to them, and to all later ones */
async function untilHeld(): Promise<() => void> {
	const held: Array<() => void> = [];
	let isHolding = true;
	return await new Promise((resolve) =>
		server.onRequest((request) => (response) => {
			const respond = () => {
				response.writeHead(200, { 'content-type': 'application/json' });
				response.end(JSON.stringify({ id: `m${numberOf(request)}` }));
			};
			if (!isHolding || server.requests.length <= SENDS / 2) return respond();
			held.push(respond);
			resolve(() => {
				isHolding = false;
				held.splice(0).forEach((each) => each());
			});
		}),
	);
}

/** Returns the ids of the executions of which n8n has deleted everything. */
async function readDeletedIds(): Promise<string[]> {
	const log = await readFile(queue.main.logFile, 'utf8');
	const deletions = log.matchAll(/Hard-deleted executions (\{.*\})/g);
	return [...deletions].flatMap(
		([, details]) => (JSON.parse(details) as { executionIds: string[] }).executionIds,
	);
}

/** @param count of executions, counted from the first one */
async function untilDeleted(count: number): Promise<void> {
	const areDeleted = async (saw: Saw) => saw(await readDeletedIds()).length >= count;
	await waitUntil(`${count} deletions`, areDeleted, N8N_LIMIT_MS);
}

test('n8n prunes newer executions while a list runs, then the list, too: nobody gets it twice, neither now nor in the next execution', async () => {
	const id = { sendOnceId: '={{ $json.number }}' };
	const parameters = createSendParameters('https://example.com/a.png', id);
	const more = { laterNodes: [reports.node] };
	const list = await publishWebhook(queue, { parameters, credentials }, more);
	const invalid = createSendParameters('not an address');
	const other = await publishWebhook(queue, { parameters: invalid, credentials });
	const held = untilHeld();
	await list.post(ROWS);
	const release = await held;
	const [running] = await queue.rest.listExecutions(list.saved);

	// The list is now beyond the number of executions that n8n keeps.
	await other.post([{ number: '491' }]);
	await untilDeleted(1);
	expect(await readDeletedIds()).not.toContain(running.id);
	expect(await queue.rest.listExecutions(list.saved)).toMatchObject([
		{ id: running.id, status: 'running' },
	]);
	release();
	expect(await reports.waitFor(1)).toEqual(ROWS.map(({ number }) => ({ id: `m${number}` })));
	expect(requestedNumbers(server)).toEqual(ROWS.map(({ number }) => number));

	await untilDeleted(2);
	expect(await readDeletedIds()).toContain(running.id);
	await list.post(ROWS);
	const skipped = { skipped: true, reason: 'id' };
	expect(await reports.waitFor(2)).toEqual(
		ROWS.map(({ number }) => ({ ...skipped, sendOnceId: number })),
	);
	expect(server.requests).toHaveLength(SENDS);
});
