import type { ServerResponse } from 'node:http';

import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { IS_NIGHT } from '../support/cases';
import { testAtNight, variants } from '../support/night';
import { type Script, type ScriptedServer } from '../support/scriptedServer';
import { numberOf, REFUSED } from '../support/sendService';
import { LONG_LIMIT_MS, N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import {
	createSendParameters,
	NODE,
	publishWebhook,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

/** The service gets other ones in each execution. */
const COMPUTED = {
	caption: "={{ $json.name + ' ' + Math.random() }}",
	url: "={{ 'https://example.com/a.png?signature=' + Math.random() }}",
};
const DRAGGED = { caption: '={{ $json.name }}', url: 'https://example.com/a.png' };
const CONCURRENCY = 20;
const ONCE = { sendOnceId: '={{ $json.order }}' };

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

/** How many messages each number has got. */
const messages = new Map<string, number>();
/** The numbers to which the service refuses the next send. */
const refused = new Set<string>();
/** From the message to this number on, the service carries out sends, but does not respond. */
let firstStalled: string | undefined;
const stalled: ServerResponse[] = [];

function send(number: string): Script {
	if (refused.delete(number)) return REFUSED;
	messages.set(number, (messages.get(number) ?? 0) + 1);
	if (number !== firstStalled && stalled.length === 0) return { body: { id: `m${number}` } };
	return (response) => stalled.push(response);
}

const countTwice = () => [...messages.values()].filter((count) => count > 1).length;

const createRows = (count: number, first = 0) =>
	Array.from({ length: count }, (_, i) => ({
		number: String(49_151_000_000 + first + i),
		name: `Person ${first + i}`,
		order: `order-${first + i}`,
	}));
type Row = ReturnType<typeof createRows>[number];

async function publish(content: IDataObject, ids: IDataObject = ONCE): Promise<WebhookWorkflow> {
	const options = { ...ids, concurrency: CONCURRENCY } as INode['parameters'];
	const parameters = { ...createSendParameters('', options), ...content } as INode['parameters'];
	return await publishWebhook(n8n, { parameters, credentials });
}

/** Executes a workflow to its end. */
async function run({ post, saved }: WebhookWorkflow, rows: Row[]): Promise<Execution> {
	const { length } = await n8n.rest.listExecutions(saved);
	await post(rows);
	await waitUntil(
		'the execution',
		async (saw) => saw((await n8n.rest.listExecutions(saved)).length) > length,
		N8N_LIMIT_MS,
	);
	return await n8n.rest.lastExecution(saved);
}

/** Executes a workflow, and interrupts it near the end of the list. */
async function interrupt(
	{ post, saved }: WebhookWorkflow,
	rows: Row[],
	how: 'kill' | 'stop',
): Promise<void> {
	firstStalled = rows[rows.length - 2 * CONCURRENCY].number;
	await post(rows);
	await waitUntil(
		'the end of the list',
		(saw) => saw(stalled.length) === CONCURRENCY,
		LONG_LIMIT_MS,
	);
	const listed = await n8n.rest.listExecutions(saved);
	const running = listed.find(({ status }) => status === 'running')!;
	await (how === 'kill' ? n8n.crash() : n8n.rest.stop(running));
	firstStalled = undefined;
	for (const response of stalled.splice(0)) response.end('{ "id": "m" }');
	const { status } = await n8n.rest.waitForExecution(running.id);
	expect(status).toBe(how === 'kill' ? 'crashed' : 'canceled');
}

/** Executes a workflow whose first send is refused, and then its retry. */
async function runAndRetry(workflow: WebhookWorkflow, rows: Row[]): Promise<void> {
	refused.add(rows[0].number);
	const failed = await run(workflow, rows);
	expect(failed.status).toBe('error');
	expect((await n8n.rest.retry(failed, 'original')).status).toBe('success');
}

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

beforeAll(() => {
	server.onRequest((request) => send(numberOf(request)));
});

beforeEach(() => {
	messages.clear();
	refused.clear();
});

describe('nobody gets it twice when a workflow starts again that', () => {
	const cases = [
		['was stopped', 'stop', COMPUTED, IS_NIGHT ? 2000 : 1300],
		['was killed', 'kill', COMPUTED, 2000],
		['was stopped, with other fields', 'stop', DRAGGED, 4500],
	] as const;

	test.each(variants([...cases]))('%s', async (_name, how, content, length) => {
		const rows = createRows(length);
		const workflow = await publish(content);
		await interrupt(workflow, rows, how);
		for (let start = 1; start <= 2; start++) {
			expect((await run(workflow, rows)).status).toBe('success');
			expect([start, countTwice()]).toEqual([start, 0]);
		}
	});

	testAtNight('had to be retried', async () => {
		const rows = createRows(2000);
		const workflow = await publish(COMPUTED);
		await runAndRetry(workflow, rows);
		expect((await run(workflow, rows)).status).toBe('success');
		expect(countTwice()).toBe(0);
	});

	testAtNight('had to be retried on each day of a week', async () => {
		const workflow = await publish(COMPUTED);
		const days = Array.from({ length: 7 }, (_, day) => createRows(600, 600 * day));
		for (const rows of days) await runAndRetry(workflow, rows);
		expect((await run(workflow, days[0])).status).toBe('success');
		expect(countTwice()).toBe(0);
	});
});

test('what was sent for certain does not become unknown if n8n is killed in a later execution', async () => {
	const rows = createRows(200, 90_000);
	const workflow = await publish(DRAGGED);
	expect((await run(workflow, rows)).status).toBe('success');
	await interrupt(workflow, [...rows, ...createRows(2 * CONCURRENCY, 95_000)], 'kill');
	const again = await run(workflow, rows);
	const outputs = outputsOf(again, NODE)[0].map(({ json }) => json);
	expect(outputs).toEqual(rows.map(({ order }) => ({ skipped: true, sendOnceId: order })));
});

test.each(
	variants([
		['with IDs', ONCE],
		['without IDs', {}],
	]),
)(
	'a retry failed: another retry of the same execution sends nobody twice, %s',
	async (_name, ids) => {
		const rows = createRows(2000);
		const workflow = await publish(COMPUTED, ids);
		refused.add(rows[0].number).add(rows[1989].number);
		const failed = await run(workflow, rows);
		expect(failed.status).toBe('error');
		expect((await n8n.rest.retry(failed, 'original')).status).toBe('error');
		const { status } = await n8n.rest.retry(failed, 'original');
		expect(countTwice()).toBe(0);
		expect(status).toBe('success');
		expect(messages.size).toBe(rows.length);
	},
);
