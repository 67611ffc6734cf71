import { testAtNight } from '../support/night';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { ACCOUNT, saveCredential, startRealN8n, type RealN8n } from './realN8n';
import { emitted, publishTrigger, untilEmitted, untilPolls } from './triggers';

/** n8n's scheduler for polls that is to become the default. Each poll begins with what n8n has stored. */
const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
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
		const countPolls = (account: string) => () =>
			server.requests.filter(({ path }) => path.startsWith(account)).length;
		const running = (n8n = await startRealN8n(undefined, { env }));
		const credentials = await saveCredential(running.rest, {
			baseUrl: `${server.url}/a`,
			...ACCOUNT,
		});
		const workflow = await publishTrigger(running, credentials);
		await untilPolls(countPolls('/a'), 2);

		lists['/a'].push({ id: 'first' });
		await untilEmitted(running, workflow, 1);
		await running.restart(() => {
			lists['/a'].push({ id: 'while n8n was down' });
		});
		await untilEmitted(running, workflow, 2);

		const { id } = credentials!.messagingAccountApi;
		await running.rest.patch(`/rest/credentials/${id}`, {
			name: 'Messaging Account account',
			type: 'messagingAccountApi',
			data: { baseUrl: `${server.url}/b`, ...ACCOUNT },
		});
		await untilPolls(countPolls('/b'), 2);
		lists['/b'].push({ id: 'of the other account' });
		await untilEmitted(running, workflow, 3);
		await untilPolls(countPolls('/b'), 2);
		const ids = (await emitted(running, workflow)).map((item) => item.id);
		expect(ids).toEqual(['first', 'while n8n was down', 'of the other account']);
	},
);
