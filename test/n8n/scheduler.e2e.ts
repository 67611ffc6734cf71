import type { IDataObject, INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import { testAtNight } from '../support/testSize';
import { useScriptedServer } from '../support/scriptedServer';
import { publishWorkflow } from '../support/workflow';
import { ACCOUNT, saveCredential, startRealN8n, type RealN8n } from './realN8n';
import {
	createTrigger,
	DURABLE,
	emitted,
	SCHEDULER,
	startedBy,
	untilEmitted,
	untilPolls,
} from './triggers';

/** Two triggers of a workflow in n8n's scheduler. */
const TRIGGERS = ['A', 'B'];

const RECEIVED = ['a', 'b', 'c'];

let n8n: RealN8n;
let workflow: SavedWorkflow;

const server = useScriptedServer();

afterEach(async () => await n8n?.stop());

const countPolls = () => server.requests.length;

/** Publishes the workflow, and receives messages. @param env of n8n @param options of the triggers */
async function publishAndReceive(env: Record<string, string>, options: INode['parameters'] = {}) {
	const list = [{ id: 'old', from: '49' }];
	server.onRequest(() => ({ body: list }));
	n8n = await startRealN8n({ env });
	const credentials = await saveCredential(n8n.rest, { baseUrl: server.url, ...ACCOUNT });
	const triggers = TRIGGERS.map((name) => createTrigger(credentials, { options }, { name }));
	const { nodes, connections } = startedBy(...triggers);
	workflow = await publishWorkflow(n8n.rest, 'Two', nodes, connections);
	await untilPolls(countPolls, 4);
	list.push(...RECEIVED.map((id) => ({ id, from: '49' })));
}

/** Waits until both have emitted, and some polls more. @returns the IDs that each has emitted */
async function emittedByBoth(items: number) {
	for (const name of TRIGGERS) await untilEmitted(n8n, workflow, items, name);
	await untilPolls(countPolls, 4);
	const all = await Promise.all(TRIGGERS.map(async (name) => await emitted(n8n, workflow, name)));
	return all.map((items) =>
		items
			.flatMap((json) => (json.messages ?? [json]) as IDataObject[])
			.map((message) => message.id),
	);
}

testAtNight('with durable cursors, they lose nothing that is held, through a restart', async () => {
	await publishAndReceive(DURABLE, { combineBy: 'from', waitUntilQuiet: 0, waitAtMost: 86_400 });
	await untilPolls(countPolls, 1);
	await n8n.restart(() => {});
	expect(await emittedByBoth(1)).toEqual([RECEIVED, RECEIVED]);
});

testAtNight('without them, they lose nothing, and tell what comes twice', async () => {
	await publishAndReceive(SCHEDULER);
	const both = await emittedByBoth(RECEIVED.length);
	for (const ids of both) expect(new Set(ids)).toEqual(new Set(RECEIVED));
	const isTwice = both.some(({ length }) => length > RECEIVED.length);
	const log = await n8n.log();
	expect(log.includes('has not kept what the trigger stored')).toBe(isTwice);
});
