import type { IDataObject, INode } from 'n8n-workflow';

import { numberOf } from '../support/sendService';
import { createSendParameters, jsonOf, publishWebhook } from '../support/webhookWorkflow';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { useRealN8nWithServer } from './realN8n';

const ROWS = Array.from({ length: 60 }, (_, i) => ({ number: String(49151000000 + i) }));
/** The first row at which the service fails. */
const FIRST = 20;

const { server, n8n, credentials } = useRealN8nWithServer();

/** The recipients of all images that were sent, in order. */
const messages: string[] = [];
let isWell: boolean;

/** Sends everything up to the first row that fails, or all while it is well. */
function serve(isWellAtFirst: boolean): void {
	isWell = isWellAtFirst;
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
		return { status: 502 };
	});
}

async function publish(options: INode['parameters']) {
	const all = { sendOnceId: '={{ $json.number }}', waitForService: 0, ...options };
	const parameters = createSendParameters('https://example.com/a.png', all);
	return await publishWebhook(n8n, { parameters, credentials, onError: 'continueErrorOutput' });
}

const isUnknown = ({ delivery }: IDataObject) => delivery === 'unknown';

test('n8n is killed while it waits for the service: the Retry sends what was not tried', async () => {
	serve(false);
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
	serve(true);
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
