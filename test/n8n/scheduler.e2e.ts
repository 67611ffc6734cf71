import type { IDataObject, INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import { testAtNight } from '../support/testSize';
import { useScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { publishWorkflow } from '../support/workflow';
import { ACCOUNT, saveCredential, startRealN8n, type RealN8n } from './realN8n';
import {
	createTrigger,
	DURABLE,
	emitted,
	publishTrigger,
	SCHEDULER,
	startedBy,
	untilEmitted,
	untilPolls,
} from './triggers';

let n8n: RealN8n | undefined;

afterEach(async () => {
	await n8n?.stop();
	n8n = undefined;
});

const server = useScriptedServer();

testAtNight.each([
	['without durable cursors', SCHEDULER],
	['with durable cursors', DURABLE],
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
		const running = (n8n = await startRealN8n({ env }));
		const accessTo = (account: string) => ({ baseUrl: server.url + account, ...ACCOUNT });
		const credentials = await saveCredential(running.rest, accessTo('/a'));
		const workflow = await publishTrigger(running, credentials);
		await untilPolls(countPolls('/a'), 2);

		lists['/a'].push({ id: 'first' });
		await untilEmitted(running, workflow, 1);
		await running.restart(() => void lists['/a'].push({ id: 'while n8n was down' }));
		await untilEmitted(running, workflow, 2);

		const { id, name } = credentials.messagingAccountApi;
		const change = { name, type: 'messagingAccountApi', data: accessTo('/b') };
		await running.rest.patch(`/rest/credentials/${id}`, change);
		await untilPolls(countPolls('/b'), 2);
		lists['/b'].push({ id: 'of the other account' });
		await untilEmitted(running, workflow, 3);
		await untilPolls(countPolls('/b'), 2);
		const ids = (await emitted(running, workflow)).map((item) => item.id);
		expect(ids).toEqual(['first', 'while n8n was down', 'of the other account']);
	},
);

/** Publishes a workflow with two triggers. */
async function publishTwo({ rest }: RealN8n, options: INode['parameters']) {
	const credentials = await saveCredential(rest, { baseUrl: server.url, ...ACCOUNT });
	const triggers = ['A', 'B'].map((name) => createTrigger(credentials, { options }, { name }));
	const { nodes, connections } = startedBy(...triggers);
	return await publishWorkflow(rest, 'Two', nodes, connections);
}

/** Waits until both triggers have emitted so many messages, and returns the IDs of each. */
async function emittedByBoth(running: RealN8n, workflow: SavedWorkflow, count: number) {
	const ids: unknown[][] = [];
	for (const trigger of ['A', 'B']) {
		const read = async () => {
			const items = await emitted(running, workflow, trigger);
			const messages = items.flatMap((json) => (json.messages ?? [json]) as IDataObject[]);
			return messages.map(({ id }) => id);
		};
		const isEmitted = async (saw: Saw) => saw(await read()).length >= count;
		await waitUntil(`${count} messages of ${trigger}`, isEmitted, N8N_LIMIT_MS);
		ids.push(await read());
	}
	return ids;
}

describe('two triggers of a workflow in the scheduler', () => {
	const list = [{ id: 'old', from: '49' }];
	const receive = (...ids: string[]) => list.push(...ids.map((id) => ({ id, from: '49' })));
	const countPolls = () => server.requests.length;

	beforeEach(() => {
		list.splice(1);
		server.onRequest(() => ({ body: list }));
	});

	testAtNight('lose nothing that is held, with durable cursors, through a restart', async () => {
		const running = (n8n = await startRealN8n({ env: DURABLE }));
		const options = { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 };
		const workflow = await publishTwo(running, options);
		await untilPolls(countPolls, 4);
		receive('a', 'b', 'c');
		await untilPolls(countPolls, 1);
		await running.restart(() => {});
		await emittedByBoth(running, workflow, 3);
		await untilPolls(countPolls, 4);
		const all = new Array(2).fill(['a', 'b', 'c']);
		expect(await emittedByBoth(running, workflow, 3)).toEqual(all);
	});

	testAtNight('lose nothing without durable cursors, and what comes twice is told', async () => {
		const running = (n8n = await startRealN8n({ env: SCHEDULER }));
		const workflow = await publishTwo(running, {});
		await untilPolls(countPolls, 4);
		receive('a', 'b', 'c');
		await emittedByBoth(running, workflow, 3);
		await untilPolls(countPolls, 4);
		const both = await emittedByBoth(running, workflow, 3);
		for (const ids of both) expect(new Set(ids)).toEqual(new Set(['a', 'b', 'c']));
		const isTwice = both.some(({ length }) => length > 3);
		expect((await running.log()).includes('has not kept what the trigger stored')).toBe(isTwice);
	});
});
