import type { IDataObject, INode } from 'n8n-workflow';

import type { Script, ScriptedServer } from '../support/scriptedServer';
import { DROPPED, numberOf } from '../support/sendService';
import { createSendParameters, jsonOf, publishWebhook } from '../support/webhookWorkflow';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

const ROWS = Array.from({ length: 60 }, (_, i) => ({ number: String(49151000000 + i) }));
/** The first row at which the service fails. */
const FIRST = 20;
/** The service is well again after this time. */
const RESTART_MS = 10_000;

const NO_ANSWER: Script = () => {};

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

/** The recipients of all images that were sent, in order. */
const messages: string[] = [];
let isWell: boolean;

/** Sends everything up to the first row that fails, and from then on only what `sends` says. */
function serve(sends: Script, onFailure: () => void = () => {}): void {
	isWell = false;
	messages.length = 0;
	server.requests.length = 0;
	server.onRequest((request) => {
		if (request.method === 'GET')
			return isWell ? { body: { is_connected: true } } : { status: 503 };
		const number = numberOf(request);
		if (isWell || number < ROWS[FIRST].number) {
			messages.push(number);
			return { body: { id: `m${number}` } };
		}
		onFailure();
		return sends;
	});
}

async function publish(options: INode['parameters']) {
	const all = { sendOnceId: '={{ $json.number }}', waitForService: 0, ...options };
	const parameters = createSendParameters('https://example.com/a.png', all);
	return await publishWebhook(n8n, { parameters, credentials, onError: 'continueErrorOutput' });
}

const sends = () => server.requests.filter(({ method }) => method === 'POST').length;
const isUnknown = ({ delivery }: IDataObject) => delivery === 'unknown';

test.each([
	['HTTP 502', { status: 502 }, 3],
	['lost connections', DROPPED, 3],
	['no answer', NO_ANSWER, 3],
	['HTTP 401', { status: 401 }, 0],
	['HTTP 429', { status: 429, headers: { 'retry-after': '0' } }, 0],
] as Array<[string, Script, number]>)(
	'an outage with %s: three are tried, and everybody else is sent by the next execution',
	async (_name, script, unknown) => {
		serve(script);
		// Longer than n8n stands still on a busy machine.
		const workflow = await publish(script === NO_ANSWER ? { timeout: 5000 } : {});
		await workflow.post(ROWS);
		const [first] = await workflow.waitForExecutions(1);
		expect(jsonOf(first)).toHaveLength(FIRST);
		const failed = jsonOf(first, undefined, 1).map(({ error }) => error as IDataObject);
		expect(failed).toHaveLength(ROWS.length - FIRST);
		expect(failed.filter(isUnknown)).toHaveLength(unknown);
		// A refusal with 429 is tried three times.
		expect(sends()).toBeLessThanOrEqual(FIRST + (unknown || 9));

		isWell = true;
		await workflow.post(ROWS);
		const [, second] = await workflow.waitForExecutions(2);
		expect(jsonOf(second).filter(isUnknown)).toHaveLength(unknown);
		expect(new Set(messages).size).toBe(messages.length);
		expect(messages).toHaveLength(ROWS.length - unknown);
	},
);

test('a restart of the service within the wait costs three sends, and nobody else', async () => {
	let isOver = false;
	serve({ status: 502 }, () => {
		if (isOver) return;
		isOver = true;
		setTimeout(() => (isWell = true), RESTART_MS);
	});
	const workflow = await publish({ waitForService: 5 });
	await workflow.post(ROWS);
	const [execution] = await workflow.waitForExecutions(1);
	expect(jsonOf(execution, undefined, 1)).toHaveLength(3);
	expect(messages).toHaveLength(ROWS.length - 3);
	expect(new Set(messages).size).toBe(messages.length);
});

test('n8n is killed while it waits for the service: the Retry sends what was not tried', async () => {
	serve({ status: 502 });
	const workflow = await publish({ waitForService: 60 });
	await workflow.post(ROWS);
	const hasAsked = () => server.requests.some(({ method }) => method === 'GET');
	await waitUntil('the first look at the status', hasAsked, N8N_LIMIT_MS);
	await n8n.crash(async () => void (isWell = true));
	const [crashed] = await workflow.waitForExecutions(1);
	const retried = await n8n.rest.retry(crashed, 'original');
	const failed = jsonOf(retried, undefined, 1);
	expect(failed.length).toBeLessThanOrEqual(4);
	expect(messages.length).toBeGreaterThanOrEqual(ROWS.length - 4);
	expect(new Set(messages).size).toBe(messages.length);
});

test('twenty a day: three executions send everybody once, one of them killed', async () => {
	serve({ status: 502 });
	isWell = true;
	// At this pace, n8n is killed during a send, or shortly before the next one.
	const workflow = await publish({ maxSends: 20, delayBetweenSends: 400 });
	await workflow.post(ROWS);
	const [first] = await workflow.waitForExecutions(1);
	expect(jsonOf(first).filter(({ reason }) => reason === 'limit')).toHaveLength(40);
	expect(messages).toHaveLength(20);

	await workflow.post(ROWS);
	const isInTheMiddle = (saw: Saw) => saw(messages.length) >= 30;
	await waitUntil('the middle of the second day', isInTheMiddle, N8N_LIMIT_MS);
	await n8n.crash();
	const [, crashed] = await workflow.waitForExecutions(2);
	const retried = await n8n.rest.retry(crashed, 'original');
	const outcomes = [...jsonOf(retried), ...jsonOf(retried, undefined, 1)];
	const countOf = (items: IDataObject[]) =>
		items.filter((item) => isUnknown(item) || isUnknown((item.error ?? {}) as IDataObject)).length;
	const unknown = countOf(outcomes);
	// What may have been sent counts, too, and so do the IDs that were reserved ahead.
	expect(unknown).toBeLessThanOrEqual(10);
	expect(messages.length + unknown).toBeGreaterThanOrEqual(40);
	expect(messages.length).toBeLessThanOrEqual(40);

	await workflow.post(ROWS);
	await workflow.waitForExecutions(4);
	expect(new Set(messages).size).toBe(messages.length);
	expect(messages.length + unknown).toBeGreaterThanOrEqual(ROWS.length);
});
