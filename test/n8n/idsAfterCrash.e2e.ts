import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

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
import { saveCredential, useRealN8nWithServer } from './realN8n';

/** How many people with an ID may be unknown after a crash who were never tried, whatever the pace. */
const MAX_NEVER_TRIED = 5;

/** Longer than a batch of sends takes. */
const HANGS_MS = 2500;

/** n8n is killed some seconds after the service has begun to hang. */
const LATE: KilledList = { rows: createRows(0, 60), serviceMs: 0, stallsAt: 10 };
/** n8n is killed at once. */
const FAST: KilledList = { ...LATE, rows: createRows(1, 60) };
/** Of three accounts in turn, which send to the same people. */
const OF_ACCOUNTS: KilledList = { ...FAST, rows: createRows(2, 60, 3) };

/** By the number of their list. */
const LISTS = [LATE, FAST, OF_ACCOUNTS];

let deliveries: Deliveries;
/** The images that were requested before the crash. */
let requested: Set<string>;
const workflows = new Map<KilledList, WebhookWorkflow>();

const { server, n8n, credentials } = useRealN8nWithServer();

/** A credential that has the account of each row. */
const accounts = () => ({
	baseUrl: server.url,
	clientId: '=client-{{ $json.index % 3 }}',
	token: '={{ "token-" + $json.index % 3 }}',
});
let accountCredentials: INode['credentials'];

beforeAll(async () => {
	deliveries = new Deliveries(server);
	accountCredentials = await saveCredential(n8n.rest, accounts());
	const start = async (list: KilledList) => {
		const stalled = deliveries.untilStalled({ [LISTS.indexOf(list)]: list });
		await workflows.get(list)!.post(list.rows);
		await stalled;
	};
	const parameters = toRow({ sendOnceId: '={{ $json.number }}' });
	const onError = 'continueRegularOutput';
	for (const list of LISTS) {
		const own = list === OF_ACCOUNTS ? accountCredentials : credentials;
		workflows.set(list, await publishWebhook(n8n, { parameters, onError, credentials: own }));
	}
	await start(LATE);
	await sleep(HANGS_MS);
	await start(OF_ACCOUNTS);
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

/** Checks what comes out of a list. @returns how many people are unknown who were never tried before the crash */
function check({ rows }: KilledList, execution: Execution): number {
	const told = readTold(execution);
	expect(told).toHaveLength(rows.length);
	deliveries.expectTrue(told);
	const unknown = captionsOf(told.filter(({ delivery }) => delivery));
	return unknown.filter((caption) => !requested.has(caption)).length;
}

/** Executes a workflow with the same rows, and checks it. @param earlier the number of executions so far */
async function executeAgain(list: KilledList, earlier: number): Promise<number> {
	const { post, waitForExecutions } = workflows.get(list)!;
	await post(list.rows);
	return check(list, (await waitForExecutions(earlier + 1)).at(-1)!);
}

/** Retries an execution with the current workflow, and checks it. */
const retry = async (list: KilledList, crashed: Execution) =>
	check(list, await n8n.rest.retry(crashed, 'current'));

test('the service hangs for some seconds, then n8n is killed: a Retry sends to those who were never tried', async () => {
	expect(await retry(LATE, await findCrashed(LATE))).toBeLessThanOrEqual(MAX_NEVER_TRIED);
	expect(await executeAgain(LATE, 2)).toBeLessThanOrEqual(MAX_NEVER_TRIED);
});

test('n8n is killed during fast sends with IDs, and the list starts again: it sends to those who were never tried', async () => {
	const crashed = await findCrashed(FAST);
	expect(await executeAgain(FAST, 1)).toBeLessThanOrEqual(MAX_NEVER_TRIED);
	await retry(FAST, crashed);
});

test('n8n is killed during sends of three accounts: each row is sent from its own, once', async () => {
	await retry(OF_ACCOUNTS, await findCrashed(OF_ACCOUNTS));
	await executeAgain(OF_ACCOUNTS, 2);
	const used = server.requests
		.map(({ headers, body }) => ({ headers, caption: (body as IDataObject).caption }))
		.filter(({ caption }) => String(caption).startsWith('List 2'));
	expect(used.length).toBeGreaterThan(OF_ACCOUNTS.rows.length / 2);
	for (const { headers, caption } of used) {
		const account = OF_ACCOUNTS.rows.find((row) => row.caption === caption)!.index % 3;
		expect(headers).toMatchObject({ 'client-id': `client-${account}`, token: `token-${account}` });
	}
});

test('n8n tests a credential with expressions without an item', async () => {
	server.onRequest(() => ({ status: 401 }));
	const saved = { ...accountCredentials!.messagingAccountApi, type: 'messagingAccountApi' };
	const result = await n8n.rest.post<IDataObject>('/rest/credentials/test', {
		credentials: { ...saved, data: accounts() },
	});
	expect(result).toMatchObject({ status: 'Error' });
});
