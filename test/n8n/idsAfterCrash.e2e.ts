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

const ID = { sendOnceId: '={{ $json.number }}' };

interface Case extends KilledList {
	/** Whether n8n is killed at once, and not some seconds after the service has begun to hang. */
	isLast?: boolean;
}

const fast = { serviceMs: 0, stallsAt: 10 };

/** By the number of their list. */
const CASES: Case[] = [
	{ rows: createRows(0, 60), ...fast },
	{ rows: createRows(1, 60), ...fast, isLast: true },
];
const [LATE, FAST] = CASES;

let deliveries: Deliveries;
/** The images that were requested before the crash. */
let requested: Set<string>;
const workflows = new Map<Case, WebhookWorkflow>();

const { server, n8n, credentials } = useRealN8nWithServer();

beforeAll(async () => {
	deliveries = new Deliveries(server);
	const start = async (some: Case[]) => {
		const isStarted = (each: Case) => some.includes(each);
		const lists = CASES.map((each, i) => [i, each] as const).filter(([, each]) => isStarted(each));
		const stalled = deliveries.untilStalled(Object.fromEntries(lists));
		for (const each of some) await workflows.get(each)!.post(each.rows);
		await stalled;
	};
	for (const each of CASES) {
		const node = { parameters: toRow(ID), credentials };
		const settings = { onError: 'continueRegularOutput' as const };
		workflows.set(each, await publishWebhook(n8n, { ...node, ...settings }));
	}
	await start(CASES.filter(({ isLast }) => !isLast));
	await sleep(HANGS_MS);
	await start(CASES.filter(({ isLast }) => isLast));
	await n8n.crash();
	requested = new Set(deliveries.captions);
	deliveries.deliverAll();
});

async function findCrashed(each: Case): Promise<Execution> {
	const crashed = await n8n.rest.lastExecution(workflows.get(each)!.saved);
	expect(crashed.status).toBe('crashed');
	return crashed;
}

/** Executes a workflow with the same rows, and checks what comes out. @param earlier the number of executions so far */
async function executeAgain(each: Case, earlier: number) {
	const { post, waitForExecutions } = workflows.get(each)!;
	await post(each.rows);
	const told = readTold((await waitForExecutions(earlier + 1)).at(-1)!);
	expect(told).toHaveLength(each.rows.length);
	deliveries.expectTrue(told);
	return told;
}

/** Retries an execution with the current workflow, and checks what comes out. */
async function retry(each: Case, crashed: Execution) {
	const told = readTold(await n8n.rest.retry(crashed, 'current'));
	expect(told).toHaveLength(each.rows.length);
	deliveries.expectTrue(told);
	return told;
}

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
