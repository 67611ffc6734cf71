import type { INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import type { Script, ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { waitForState } from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';
import { emitted, publishTrigger, TRIGGER, untilEmitted, untilPolls } from './triggers';

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

let list: Array<{ id: string }>;
let workflow: SavedWorkflow;

beforeEach(async () => {
	list = [{ id: 'old' }];
	server.onRequest(() => ({ body: list }));
	workflow = await publishTrigger(n8n, credentials);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
});

afterEach(async () => await n8n.rest.unpublish(workflow));

/** Saves a change, and publishes it, as somebody does who edits a workflow that runs. */
async function publishAgain(): Promise<void> {
	const { id } = workflow;
	const changed = await n8n.rest.workflow(id);
	// Had only its position changed, n8n would keep the trigger as it is.
	(changed.nodes[0].parameters.pollTimes as { item: unknown[] }).item.reverse();
	await n8n.rest.save(changed);
	await n8n.rest.publish(await n8n.rest.workflow(id));
}

const countPolls = () => server.requests.length;
const emittedIds = async () => (await emitted(n8n, workflow)).map(({ id }) => id);

/** A message arrives, and polls are not answered until `respond` is called. */
function arriveSlowly(id: string) {
	list = [...list, { id }];
	const body = JSON.stringify(list);
	const held: Array<() => void> = [];
	const hold: Script = (response) => {
		held.push(() => response.end(body));
	};
	server.onRequest(() => hold);
	return {
		untilHeld: async (count: number) =>
			await waitUntil(`${count} polls`, (saw) => saw(held.length) >= count, N8N_LIMIT_MS),
		respond() {
			server.onRequest(() => ({ body: list }));
			// The earlier one first.
			for (const respond of held) respond();
		},
	};
}

test('messages of a poll that is under way when the workflow is published come out once', async () => {
	for (const id of ['a', 'b']) {
		const service = arriveSlowly(id);
		await service.untilHeld(1);
		await publishAgain();
		await service.untilHeld(2);
		service.respond();
		await untilEmitted(n8n, workflow, list.length - 1);
	}
	const service = arriveSlowly('c');
	await service.untilHeld(1);
	await n8n.rest.unpublish(workflow);
	service.respond();
	await n8n.rest.publish(await n8n.rest.workflow(workflow.id));
	await untilEmitted(n8n, workflow, 3);
	await untilPolls(countPolls, 2);
	expect(await emittedIds()).toEqual(['a', 'b', 'c']);
});

test('a service that answers HTTP 429 while the workflow is published, or n8n starts, stops nothing', async () => {
	const refused: Script = { status: 429, headers: { 'retry-after': '0' } };
	server.respondWith(refused);
	await publishAgain();
	await waitUntil(
		'the warning',
		async () => (await n8n.log()).includes('The first poll failed'),
		N8N_LIMIT_MS,
	);
	expect(await n8n.rest.workflow(workflow.id)).toMatchObject({ active: true });
	list.push({ id: 'after publication' });
	server.onRequest(() => ({ body: list }));
	await untilEmitted(n8n, workflow, 1);

	await n8n.restart(() => server.respondWith(refused));
	await untilPolls(countPolls, 1);
	list.push({ id: 'after the start' });
	server.onRequest(() => ({ body: list }));
	await untilEmitted(n8n, workflow, 2);
	await untilPolls(countPolls, 2);
	expect(await emittedIds()).toEqual(['after publication', 'after the start']);
});
