import type { INode } from 'n8n-workflow';

import type { Execution } from '../../tools/n8n/rest';
import {
	respondAfter,
	type RecordedRequest,
	type Script,
	type ScriptedServer,
} from '../support/scriptedServer';
import { numberOf } from '../support/sendService';
import {
	createSendParameters,
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
const STALLED = ROWS[100].number;

/** How long the service takes for a send, so that n8n's database is written several times while the list is sent. */
const SERVICE_MS = 20;
/** As long as that takes, the node writes what became of at most so many sends at a time. */
const MAX_BATCH = 40;

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

/** Starts to send all rows, and stops n8n meanwhile. */
async function crashMidway(
	stop: () => Promise<void>,
	node: Partial<INode>,
	refused?: string,
): Promise<{ workflow: WebhookWorkflow; crashed: Execution }> {
	const workflow = await publishSends(node);
	const stalled = sendUntilStalled(refused);
	await workflow.post(ROWS);
	await stalled;
	await stop();
	server.onRequest(send);
	const [crashed] = await workflow.waitForExecutions(1);
	expect(crashed.status).toBe('crashed');
	return { workflow, crashed };
}

const publishSends = async (
	node: Partial<INode>,
	more?: Parameters<typeof publishWebhook>[2],
): Promise<WebhookWorkflow> => {
	const parameters = createSendParameters('https://example.com/a.png');
	return await publishWebhook(n8n, { parameters, credentials, ...node }, more);
};

const CONTINUE = { onError: 'continueRegularOutput' } as const;

describe.each([
	['killed', async () => await n8n.crash()],
	['stopped, and does not wait for the end of the list', terminate],
])('n8n is %s', (_name, stop) => {
	test('in the middle of a list: each retry sends only what was certainly not sent', async () => {
		const { crashed } = await crashMidway(stop, CONTINUE, REFUSED);
		const requested = server.requests.map(numberOf);

		const retried = await n8n.rest.retry(crashed, 'original');
		expect(retried.status).toBe('success');
		const results = resultsOf(retried, ROWS);
		const refused = ROWS.findIndex(({ number }) => number === REFUSED);
		const stalled = ROWS.findIndex(({ number }) => number === STALLED);
		expect(results[refused]).toBe('N');
		expect(results[stalled]).toBe('U');
		const others = `${results.slice(0, refused)}${results.slice(refused + 1)}`;
		expect(others).toMatch(new RegExp(`^S+U{1,${MAX_BATCH}}N+$`));
		expect(results).toHaveLength(ROWS.length);

		const sentNow = ROWS.filter((_, i) => results[i] === 'N').map(({ number }) => number);
		expect(server.requests.map(numberOf)).toEqual([...requested, ...sentNow]);
		expect(new Set(messages).size).toBe(messages.length);

		const again = await n8n.rest.retry(crashed, 'original');
		expect(again.status).toBe('success');
		expect(resultsOf(again, ROWS)).toBe(results.replaceAll('N', 'S'));
		expect(server.requests).toHaveLength(requested.length + sentNow.length);
	});
});

test('with On Error "Stop", a retry sends what is left, then fails, and says how many are unknown; with a changed workflow, it goes on', async () => {
	const { workflow, crashed } = await crashMidway(async () => await n8n.crash(), {});
	const { length } = server.requests;
	const stopped = await n8n.rest.retry(crashed, 'original');
	expect(stopped.status).toBe('error');
	expect(stopped.data.resultData.error).toMatchObject({
		message: expect.stringContaining('n8n may have stopped before it ended') as string,
		description: expect.stringMatching(
			/Items that may have been sent: \d+\. To go on without sending them again, set On Error/,
		) as string,
	});
	expect(server.requests.length).toBeGreaterThan(length);
	const sentLater = server.requests.slice(length).map(numberOf);
	expect(sentLater).toEqual(ROWS.slice(-sentLater.length).map(({ number }) => number));

	const node = workflow.saved.nodes.find(({ name }) => name === NODE)!;
	Object.assign(node, CONTINUE);
	await n8n.rest.save(workflow.saved);
	const retried = await n8n.rest.retry(crashed, 'current');
	expect(resultsOf(retried, ROWS)).toMatch(/^S+U+S+$/);
	expect(new Set(messages).size).toBe(messages.length);

	node.parameters.options = { resendUncertain: true };
	await n8n.rest.save(workflow.saved);
	const countBefore = server.requests.length;
	const resent = await n8n.rest.retry(crashed, 'current');
	const unknown = ROWS.filter((_, i) => resultsOf(retried, ROWS)[i] === 'U');
	expect(server.requests.slice(countBefore).map(numberOf)).toEqual(
		unknown.map(({ number }) => number),
	);
	expect(resultsOf(resent, ROWS)).toBe(resultsOf(retried, ROWS).replaceAll('U', 'N'));
});

describe('n8n is killed while a later node runs', () => {
	const LOOP = 'Loop Over Items';
	let inSequence: WebhookWorkflow;
	let inLoop: WebhookWorkflow;

	/** Killed in the fourth run of the node, after n8n has stored the progress of the third. */
	let inNode: WebhookWorkflow;

	const OTHER_ROWS = ROWS.map(({ number }) => ({ number: String(Number(number) + 1000) }));
	const OTHER_STALLED = OTHER_ROWS[170].number;

	const createLater = (path: string) =>
		createNode('Later', {
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			executeOnce: true,
			parameters: { url: `=${server.url}/${path}`, options: {} },
		});

	async function publishLoop(later: string, settings: object = {}): Promise<WebhookWorkflow> {
		const loop = createNode(LOOP, {
			type: 'n8n-nodes-base.splitInBatches',
			typeVersion: 3,
			parameters: { batchSize: 50, options: {} },
		});
		const laterNodes = [createLater(later), loop];
		const to = (node: string) => ({ main: [connectTo(node)] });
		const connections = {
			Webhook: to('Rows'),
			Rows: to(LOOP),
			[LOOP]: { main: [[], connectTo(NODE)] },
			[NODE]: to('Later'),
			Later: to(LOOP),
		};
		const workflow = await publishSends({}, { laterNodes, connections });
		Object.assign(workflow.saved, { settings: { executionOrder: 'v1', ...settings } });
		await n8n.rest.save(workflow.saved);
		await n8n.rest.publish(workflow.saved);
		return workflow;
	}

	/** Carries out sends, and leaves some requests pending: two of later nodes, and one of a send. Resolves when there are three. */
	async function sendUntilLaterNodesRun(): Promise<void> {
		let pending = 0;
		await new Promise<void>((resolve) =>
			server.onRequest((request) => {
				if (request.path === '/short') return { body: {} };
				const isStalled = request.path === '/long' || numberOf(request) === OTHER_STALLED;
				if (request.path !== '/long') messages.push(numberOf(request));
				if (!isStalled) return { body: { id: `m${numberOf(request)}` } };
				if (++pending === 3) resolve();
				return () => {};
			}),
		);
	}

	beforeAll(async () => {
		inSequence = await publishSends({}, { laterNodes: [createLater('long')] });
		inLoop = await publishLoop('{{ $runIndex < 2 ? "short" : "long" }}');
		inNode = await publishLoop('short', { saveExecutionProgress: true });
		const pending = sendUntilLaterNodesRun();
		await inSequence.post(ROWS);
		await inLoop.post(ROWS);
		await inNode.post(OTHER_ROWS);
		await pending;
		await n8n.crash();
		server.onRequest((request) => (request.body === undefined ? { body: {} } : send(request)));
	});

	test.each(['original', 'current'] as const)(
		'a retry with the %s workflow sends nothing',
		async (kind) => {
			const [crashed] = await inSequence.waitForExecutions(1);
			expect(crashed.status).toBe('crashed');
			const retried = await n8n.rest.retry(crashed, kind);
			expect(retried.status).toBe('success');
			expect(resultsOf(retried, ROWS)).toBe('S'.repeat(ROWS.length));
			expect(messages).toEqual([]);
		},
	);

	test('of the third of four rounds of a loop: a retry sends only the fourth', async () => {
		const [crashed] = await inLoop.waitForExecutions(1);
		expect(crashed.status).toBe('crashed');
		const retried = await n8n.rest.retry(crashed, 'original');
		expect(retried.status).toBe('success');
		expect(messages).toEqual(ROWS.slice(150).map(({ number }) => number));
	});

	test('and n8n has stored the progress before: a retry of the fourth run sends nothing twice', async () => {
		const [crashed] = await inNode.waitForExecutions(1);
		expect(crashed.status).toBe('crashed');
		const retried = await n8n.rest.retry(crashed, 'original');
		// With On Error "Stop", because of the one that is unknown.
		expect(retried.status).toBe('error');
		const others = new Set(OTHER_ROWS.map(({ number }) => number));
		expect(messages.filter((number) => others.has(number)).sort()).toEqual(
			OTHER_ROWS.slice(-messages.length).map(({ number }) => number),
		);
		expect(messages.length).toBeLessThan(30);
	});
});
