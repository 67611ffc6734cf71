import type { IDataObject, INode } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import { REQUESTS_BEFORE_STALL, stallMidway } from '../support/faults';
import {
	respondAfter,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import {
	createSendParameters,
	editFields,
	jsonOf,
	NODE,
	publishWebhook,
	resultsOf,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { connectTo, createNode } from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

const GRACE_SECONDS = 3;

const ROWS = Array.from({ length: 200 }, (_, i) => ({ number: String(49151000000 + i) }));
/** The service may refuse the first send to this one. */
const REFUSED = ROWS[5].number;
/** The service never responds to the first send to this one. */
const STALLED = ROWS[170].number;

/** How long the service takes for a send, so that n8n's database is written several times while the list is sent. */
const SERVICE_MS = 20;
/** As long as that takes, the node writes what became of at most so many sends at a time. */
const MAX_BATCH = 40;

/** n8n runs it anew before the retry of a crashed execution: each image then has another caption. */
const NEW_CAPTION = editFields('caption', '={{ $now.toMillis() }} {{ Math.random() }}');

const CONTINUE = { onError: 'continueRegularOutput' } as const;

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

/** The number of each message that was sent. */
const messages: string[] = [];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started), {
	env: { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: String(GRACE_SECONDS) },
});

beforeEach(() => {
	server.requests.length = 0;
	messages.length = 0;
});

async function terminate(): Promise<void> {
	await n8n.restart(async () => {
		expect(await n8n.log()).toContain(`process exited after ${GRACE_SECONDS}s`);
	});
}

function send(request: RecordedRequest): Script {
	const number = numberOf(request);
	messages.push(number);
	return { body: { id: `m${number}` } };
}

/** Carries out sends until one stalls: it is carried out without a response. */
async function sendUntilStalled(refused?: string): Promise<void> {
	await new Promise<void>((resolve) =>
		server.onRequest((request) => {
			const number = numberOf(request);
			if (number === refused) return { status: 422 };
			messages.push(number);
			if (number !== STALLED) return respondAfter(SERVICE_MS, { id: `m${number}` });
			resolve();
			return () => {};
		}),
	);
}

/** Publishes a workflow that sends an image to each row. Unless `more` says otherwise, each caption is computed. */
async function publishSends(
	node: Partial<INode> = {},
	options: INode['parameters'] = {},
	more: Parameters<typeof publishWebhook>[2] = { earlierNodes: [NEW_CAPTION] },
): Promise<WebhookWorkflow> {
	const parameters = {
		...createSendParameters('https://example.com/a.png', options),
		caption: '={{ $json.caption }}',
	};
	return await publishWebhook(n8n, { parameters, credentials, ...node }, more);
}

/** Starts to send all rows, and stops n8n meanwhile. */
async function crashMidway(
	workflow: WebhookWorkflow,
	stop: () => Promise<void>,
	refused?: string,
): Promise<Execution> {
	const stalled = sendUntilStalled(refused);
	await workflow.post(ROWS);
	await stalled;
	await stop();
	server.onRequest(send);
	const [crashed] = await workflow.waitForExecutions(1);
	expect(crashed.status).toBe('crashed');
	return crashed;
}

const sentAfter = (index: number, results: string) =>
	[...results.slice(index)].filter((result) => result === 'N').length;

test.each([
	// Another caption is another message.
	[
		'killed, and its retry computes captions',
		async () => await n8n.crash(),
		[NEW_CAPTION],
		/^C+N+$/,
	],
	['stopped, and does not wait for the end of the list', terminate, [], /^S+U{1,10}N+$/],
] as const)(
	'n8n is %s: each retry sends only what was certainly not sent',
	async (_name, stop, earlierNodes, expected) => {
		const workflow = await publishSends(CONTINUE, {}, { earlierNodes: [...earlierNodes] });
		const crashed = await crashMidway(workflow, stop, REFUSED);
		const requested = requestedNumbers(server);

		const retried = await n8n.rest.retry(crashed, 'original');
		expect(retried.status).toBe('success');
		const results = resultsOf(retried, ROWS);
		const refused = ROWS.findIndex(({ number }) => number === REFUSED);
		const stalled = ROWS.findIndex(({ number }) => number === STALLED);
		expect(results[refused]).toBe('N');
		expect(results[stalled]).toMatch(/[CU]/);
		const others = `${results.slice(0, refused)}${results.slice(refused + 1)}`;
		expect(others).toMatch(expected);
		// What has begun is put on record for less than a second ahead.
		expect(sentAfter(stalled, results)).toBeGreaterThan(ROWS.length - stalled - MAX_BATCH);
		expect(results).toHaveLength(ROWS.length);

		const sentNow = ROWS.filter((_, i) => results[i] === 'N').map(({ number }) => number);
		expect(requestedNumbers(server)).toEqual([...requested, ...sentNow]);
		expect(new Set(messages).size).toBe(messages.length);

		const again = await n8n.rest.retry(crashed, 'original');
		expect(again.status).toBe('success');
		expect(resultsOf(again, ROWS)).toMatch(
			new RegExp(`^${results.replaceAll('N', results[stalled] === 'C' ? 'C' : 'S')}$`),
		);
		expect(server.requests).toHaveLength(requested.length + sentNow.length);
	},
);

test.each([
	['n8n is killed', async () => await n8n.crash()],
	['the execution is stopped', async (id: string) => await n8n.rest.stop({ id })],
])(
	'%s during sends with IDs, and the workflow starts again: nobody gets it twice, and who gets nothing is unknown',
	async (_name, interrupt) => {
		const concurrency = 5;
		const options = { concurrency, sendOnceId: '={{ $json.number }}' };
		const workflow = await publishSends(CONTINUE, options);
		const stalled = stallMidway(server, send, concurrency);
		await workflow.post(ROWS);
		await stalled;
		const [{ id }] = await n8n.rest.listExecutions(workflow.saved);
		await interrupt(id);
		await workflow.waitForExecutions(1);
		server.onRequest(send);

		for (const minSkipped of [REQUESTS_BEFORE_STALL + concurrency, ROWS.length]) {
			await workflow.post(ROWS);
			const executions = await workflow.waitForExecutions(minSkipped === ROWS.length ? 3 : 2);
			const results = jsonOf(executions.at(-1)!);
			expect(new Set(messages).size).toBe(messages.length);
			expect(results).toHaveLength(ROWS.length);
			const skipped = results.filter((result) => result.skipped);
			expect(skipped.length).toBeGreaterThanOrEqual(minSkipped);
			ROWS.forEach(({ number }, i) => {
				const known: IDataObject = { skipped: true, sendOnceId: number, reason: 'id' };
				const unknown = { ...known, delivery: 'unknown' };
				const possible = messages.includes(number)
					? [{ id: `m${number}` }, known, unknown]
					: [unknown];
				expect(possible).toContainEqual(results[i]);
			});
		}
	},
);

/** Kills n8n in the fourth run of the node. */
async function crashInLoop(settings: object, inFront?: INode) {
	const loop = createNode('Loop Over Items', {
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: 50, options: {} },
	});
	const earlierNodes = inFront ? [inFront] : [];
	const connections = {
		Webhook: { main: [connectTo('Rows')] },
		Rows: { main: [connectTo((inFront ?? loop).name)] },
		...(inFront && { [inFront.name]: { main: [connectTo(loop.name)] } }),
		[loop.name]: { main: [[], connectTo(NODE)] },
		[NODE]: { main: [connectTo(loop.name)] },
	};
	const workflow = await publishSends({}, {}, { earlierNodes, laterNodes: [loop], connections });
	Object.assign(workflow.saved, { settings: { executionOrder: 'v1', ...settings } });
	await n8n.rest.save(workflow.saved);
	await n8n.rest.publish(workflow.saved);
	return await crashMidway(workflow, async () => await n8n.crash());
}

// With progress, n8n stores what the first rounds returned.
test.each([false, true])(
	'n8n is killed in the fourth round of a loop: a retry sends what is left, then fails because of the rest (with stored progress: %s)',
	async (saveExecutionProgress) => {
		const crashed = await crashInLoop({ saveExecutionProgress });
		const before = messages.length;
		const retried = await n8n.rest.retry(crashed, 'original');
		expect(retried.data.resultData.error).toMatchObject({
			message: expect.stringContaining('n8n may have stopped before it ended') as string,
			description: expect.stringMatching(
				/Items that may have been sent: \d+\. To go on without sending them again, set 'On Error'/,
			) as string,
		});
		const sentNow = messages.slice(before);
		expect(sentNow).not.toEqual([]);
		expect(sentNow).toEqual(ROWS.slice(-sentNow.length).map(({ number }) => number));
		expect(new Set(messages).size).toBe(messages.length);
	},
);

test('n8n is killed in a loop, and the retry computes captions: it sends to those who had nothing', async () => {
	const crashed = await crashInLoop({}, NEW_CAPTION);
	const { length } = messages;
	const retried = await n8n.rest.retry(crashed, 'original');
	expect(retried.status).toBe('success');
	const sentNow = messages.slice(length);
	expect(sentNow.length).toBeGreaterThan(0);
	expect(sentNow).toEqual(ROWS.slice(-sentNow.length).map(({ number }) => number));
	expect(new Set(messages).size).toBe(messages.length);
});
