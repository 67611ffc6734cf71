import { respondAfter, type RecordedRequest, type Script } from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import {
	createSendParameters,
	publishWebhook,
	resultsOf,
	type WebhookWorkflow,
} from '../support/webhookWorkflow';
import { useRealN8nWithServer } from './realN8n';

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

/** The number of each message that was sent. */
const messages: string[] = [];

const { server, n8n, credentials } = useRealN8nWithServer({
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

const PARAMETERS = createSendParameters('https://example.com/a.png');

/** Starts to send all rows, and stops n8n meanwhile. */
async function crashMidway(workflow: WebhookWorkflow, stop: () => Promise<void>, refused?: string) {
	const stalled = sendUntilStalled(refused);
	await workflow.post(ROWS);
	await stalled;
	await stop();
	server.onRequest(send);
	const [crashed] = await workflow.waitForExecutions(1);
	expect(crashed.status).toBe('crashed');
	return crashed;
}

test.each([
	// What was sent in the last second is not on record as sent.
	['killed', async () => await n8n.crash(), /^S+U+N+$/],
	['stopped, and does not wait for the end of the list', terminate, /^S+U{1,10}N+$/],
])('n8n is %s: a retry sends only what was certainly not sent', async (_name, stop, expected) => {
	const node = { parameters: PARAMETERS, credentials };
	const workflow = await publishWebhook(n8n, { ...node, onError: 'continueRegularOutput' });
	const crashed = await crashMidway(workflow, stop, REFUSED);
	const requested = requestedNumbers(server);

	const retried = await n8n.rest.retry(crashed, 'original');
	expect(retried.status).toBe('success');
	const results = resultsOf(retried, ROWS);
	const refused = ROWS.findIndex(({ number }) => number === REFUSED);
	const stalled = ROWS.findIndex(({ number }) => number === STALLED);
	expect(results[refused]).toBe('N');
	expect(results[stalled]).toBe('U');
	const others = `${results.slice(0, refused)}${results.slice(refused + 1)}`;
	expect(others).toMatch(expected);
	// What has begun is put on record for less than a second ahead.
	const sentAfter = results.slice(stalled).replaceAll(/[^N]/g, '').length;
	expect(sentAfter).toBeGreaterThan(ROWS.length - stalled - MAX_BATCH);
	expect(results).toHaveLength(ROWS.length);

	const sentNow = ROWS.filter((_, i) => results[i] === 'N').map(({ number }) => number);
	expect(requestedNumbers(server)).toEqual([...requested, ...sentNow]);
	expect(new Set(messages).size).toBe(messages.length);

	const again = await n8n.rest.retry(crashed, 'original');
	expect(again.status).toBe('success');
	expect(resultsOf(again, ROWS)).toBe(results.replaceAll('N', 'S'));
	expect(server.requests).toHaveLength(requested.length + sentNow.length);
});

// With progress, n8n stores what the first rounds returned.
test.each([false, true])(
	'n8n is killed in the fourth round of a loop: a retry sends what is left, then fails because of the rest (with stored progress: %s)',
	async (saveExecutionProgress) => {
		const node = { parameters: PARAMETERS, credentials };
		const workflow = await publishWebhook(n8n, node, { loopOf: 50 });
		const settings = { executionOrder: 'v1', saveExecutionProgress };
		Object.assign(workflow.saved, { settings });
		await n8n.rest.save(workflow.saved);
		await n8n.rest.publish(workflow.saved);
		const crashed = await crashMidway(workflow, async () => await n8n.crash());
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
