import { setTimeout as sleep } from 'node:timers/promises';

import type { Execution } from '../../tools/n8n/rest';
import { publishWebhook, type WebhookWorkflow } from '../support/webhookWorkflow';
import {
	captionsOf,
	createRows,
	Deliveries,
	readTold,
	toRow,
	type KilledList,
} from './killedLists';
import { useRealN8nWithServer } from './realN8n';

/** How many people with an ID may be unknown after a crash who were never tried, whatever the pace. */
const MAX_NEVER_TRIED = 5;

/** Longer than a batch of sends takes. */
const HANGS_MS = 2500;

/** n8n is killed some seconds after the service has begun to hang. */
const LATE: KilledList = { rows: createRows(0, 60), serviceMs: 0, stallsAt: 10 };
/** n8n is killed at once. */
const FAST: KilledList = { ...LATE, rows: createRows(1, 60) };

/** By the number of their list. */
const LISTS = [LATE, FAST];

let deliveries: Deliveries;
/** The images that were requested before the crash. */
let requested: Set<string>;
const workflows = new Map<KilledList, WebhookWorkflow>();

const { server, n8n, credentials } = useRealN8nWithServer();

beforeAll(async () => {
	deliveries = new Deliveries(server);
	const start = async (list: KilledList) => {
		const stalled = deliveries.untilStalled({ [LISTS.indexOf(list)]: list });
		await workflows.get(list)!.post(list.rows);
		await stalled;
	};
	for (const list of LISTS) {
		const parameters = toRow({ sendOnceId: '={{ $json.number }}' });
		const node = { parameters, credentials, onError: 'continueRegularOutput' as const };
		workflows.set(list, await publishWebhook(n8n, node));
	}
	await start(LATE);
	await sleep(HANGS_MS);
	await start(FAST);
	await n8n.crash();
	requested = new Set(deliveries.captions);
	deliveries.deliverAll();
});

async function findCrashed(list: KilledList): Promise<Execution> {
	const crashed = await n8n.rest.lastExecution(workflows.get(list)!.saved);
	expect(crashed.status).toBe('crashed');
	return crashed;
}

/** Checks what comes out, and returns it. */
function check({ rows }: KilledList, execution: Execution) {
	const told = readTold(execution);
	expect(told).toHaveLength(rows.length);
	deliveries.expectTrue(told);
	return told;
}

/** Executes a workflow with the same rows, and checks it. @param earlier the number of executions so far */
async function executeAgain(list: KilledList, earlier: number) {
	const { post, waitForExecutions } = workflows.get(list)!;
	await post(list.rows);
	return check(list, (await waitForExecutions(earlier + 1)).at(-1)!);
}

/** Retries an execution with the current workflow, and checks it. */
const retry = async (list: KilledList, crashed: Execution) =>
	check(list, await n8n.rest.retry(crashed, 'current'));

const neverTried = (told: ReturnType<typeof readTold>) =>
	captionsOf(told.filter(({ caption, delivery }) => delivery && !requested.has(caption)));

test('the service hangs for some seconds, then n8n is killed: a Retry sends to those who were never tried', async () => {
	const told = await retry(LATE, await findCrashed(LATE));
	expect(neverTried(told).length).toBeLessThanOrEqual(MAX_NEVER_TRIED);
	const again = await executeAgain(LATE, 2);
	expect(neverTried(again).length).toBeLessThanOrEqual(MAX_NEVER_TRIED);
});

test('n8n is killed during fast sends with IDs, and the list starts again: it sends to those who were never tried', async () => {
	const crashed = await findCrashed(FAST);
	const told = await executeAgain(FAST, 1);
	expect(neverTried(told).length).toBeLessThanOrEqual(MAX_NEVER_TRIED);
	await retry(FAST, crashed);
});
