import { outputsOf } from '../../tools/n8n/rest';
import { testAtNight } from '../support/night';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow } from '../support/workflow';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

/** Only a safeguard, for tests that wait for several polls and restarts of n8n. */
const TIMEOUT_MS = 600_000;

const TRIGGER = 'Messaging Account Trigger';

/** n8n's scheduler for polls that is to become the default. Each poll begins with what n8n has stored. */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};

/** Polls of two triggers that begin together. Between them, an old version forgot what it had emitted. */
const AT_ONCE = {
	item: [0, 15, 30, 45].map((second) => ({
		mode: 'custom',
		cronExpression: `${second} * * * * *`,
	})),
};

let server: ScriptedServer;
let n8n: RealN8n | undefined;

beforeEach(async () => {
	server = await startScriptedServer();
});

afterEach(async () => {
	await n8n?.stop();
	n8n = undefined;
	await server.close();
});

testAtNight.each([
	['without durable cursors', SCHEDULER],
	['with durable cursors', { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' }],
])(
	"in n8n's scheduler, each message starts a workflow once, through a restart and a change of the account: %s",
	async (_how, env: Record<string, string>) => {
		const lists: Record<string, Array<{ id: string }>> = {
			'/a': [{ id: 'a, before it was published' }],
			'/b': [{ id: 'b, before the change' }],
		};
		server.onRequest(({ path }) => ({ body: lists[path.slice(0, 2)] }));
		const countPolls = (account: string) =>
			server.requests.filter(({ path }) => path.startsWith(account)).length;
		const running = (n8n = await startRealN8n(undefined, { env }));
		const keys = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
		const credentials = await saveCredential(running.rest, { baseUrl: `${server.url}/a`, ...keys });
		const workflow = await publishWorkflow(running.rest, 'Messages', [
			createNode(TRIGGER, {
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: { event: 'newMessage', pollTimes: POLL_TIMES },
				credentials,
			}),
		]);
		const emitted = async () =>
			(await running.rest.executions(workflow)).flatMap((execution) =>
				outputsOf(execution, TRIGGER).flatMap((items) => items.map(({ json }) => json.id)),
			);
		const untilPolls = (account: string, count: number) =>
			waitUntil(`${count} polls`, (saw) => saw(countPolls(account)) >= count, N8N_LIMIT_MS);
		const untilEmitted = (count: number) =>
			waitUntil(
				`${count} items`,
				async (saw) => saw(await emitted()).length >= count,
				N8N_LIMIT_MS,
			);
		await untilPolls('/a', 2);

		lists['/a'].push({ id: 'first' });
		await untilEmitted(1);
		await running.restart(() => {
			lists['/a'].push({ id: 'while n8n was down' });
		});
		await untilEmitted(2);

		const { id } = credentials!.messagingAccountApi;
		await running.rest.patch(`/rest/credentials/${id}`, {
			name: 'Messaging Account account',
			type: 'messagingAccountApi',
			data: { baseUrl: `${server.url}/b`, ...keys },
		});
		await untilPolls('/b', 2);
		lists['/b'].push({ id: 'of the other account' });
		await untilEmitted(3);
		const polls = countPolls('/b');
		await untilPolls('/b', polls + 2);
		expect(await emitted()).toEqual(['first', 'while n8n was down', 'of the other account']);
	},
	TIMEOUT_MS,
);

testAtNight(
	"in n8n's scheduler, two triggers of a workflow start it once for each message",
	async () => {
		const lists: Record<string, Array<{ id: string }>> = {
			'/a': [{ id: 'old' }],
			'/b': [{ id: 'old' }],
		};
		server.onRequest(({ path }) => ({ body: lists[path.slice(0, 2)] }));
		const { rest } = (n8n = await startRealN8n(undefined, { env: SCHEDULER }));
		const create = async (name: string) =>
			createNode(name, {
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: { event: 'newMessage', pollTimes: AT_ONCE },
				credentials: await saveCredential(rest, {
					baseUrl: `${server.url}${name}`,
					clientId: 'client-7f3a',
					token: 'token-91c2-5d',
				}),
			});
		const workflow = await publishWorkflow(
			rest,
			'Messages',
			[await create('/a'), await create('/b')],
			{},
		);
		const untilPolls = async (count: number) => {
			const polls = server.requests.length;
			await waitUntil(
				`${count} polls`,
				() => server.requests.length >= polls + count,
				N8N_LIMIT_MS,
			);
		};
		const emitted = async () =>
			(await rest.executions(workflow)).flatMap((execution) =>
				['/a', '/b'].flatMap((name) =>
					(outputsOf(execution, name)[0] ?? []).map(({ json }) => json.id),
				),
			);
		await untilPolls(4);
		const expected: string[] = [];
		for (const round of [1, 2]) {
			for (const name of ['/a', '/b']) {
				lists[name].push({ id: `${round} at ${name}` });
				expected.push(`${round} at ${name}`);
			}
			await untilPolls(4);
		}
		const isComplete = async (saw: (value: unknown[]) => unknown[]) =>
			saw(await emitted()).length >= expected.length;
		await waitUntil(`${expected.length} items`, isComplete, N8N_LIMIT_MS);
		await untilPolls(4);
		expect((await emitted()).sort()).toEqual(expected);
	},
	TIMEOUT_MS,
);
