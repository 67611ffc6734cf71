import type { INode } from 'n8n-workflow';

import { outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import type { Script, ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow, waitForState } from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';

/** Only a safeguard, for tests that wait for several polls and restarts of n8n. */
const TIMEOUT_MS = 600_000;

const TRIGGER = 'Messaging Account Trigger';

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

let list: Array<{ id: string }>;

beforeEach(() => {
	list = [{ id: 'old' }];
	server.onRequest(() => ({ body: list }));
});

async function publish(trigger: Partial<INode> = {}): Promise<SavedWorkflow> {
	const type = 'n8n-nodes-messaging-account.messagingAccountTrigger';
	const parameters = { event: 'newMessage', pollTimes: POLL_TIMES };
	const workflow = await publishWorkflow(n8n.rest, 'Messages', [
		createNode(TRIGGER, { type, parameters, credentials, ...trigger }),
	]);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	return workflow;
}

/** Saves a change, and publishes it, as somebody does who edits a workflow that runs. */
async function publishAgain({ id }: SavedWorkflow): Promise<void> {
	const workflow = await n8n.rest.workflow(id);
	// Had only its position changed, n8n would keep the trigger as it is.
	(workflow.nodes[0].parameters.pollTimes as { item: unknown[] }).item.reverse();
	await n8n.rest.save(workflow);
	await n8n.rest.publish(await n8n.rest.workflow(id));
}

async function emitted(workflow: SavedWorkflow) {
	const executions = await n8n.rest.executions(workflow);
	return executions.flatMap((execution) =>
		(outputsOf(execution, TRIGGER)[0] ?? []).map(({ json }) => json.id),
	);
}

const untilEmitted = async (workflow: SavedWorkflow, count: number) =>
	await waitUntil(
		`${count} items`,
		async (saw) => saw(await emitted(workflow)).length >= count,
		N8N_LIMIT_MS,
	);

async function untilPolls(count: number): Promise<void> {
	const before = server.requests.length;
	await waitUntil(`${count} polls`, () => server.requests.length >= before + count, N8N_LIMIT_MS);
}

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
		untilPolls: async (count: number) =>
			await waitUntil(`${count} polls`, (saw) => saw(held.length) >= count, N8N_LIMIT_MS),
		respond() {
			server.onRequest(() => ({ body: list }));
			// The earlier one first.
			for (const respond of held) respond();
		},
	};
}

test(
	'messages of a poll that is under way when the workflow is published come out once',
	async () => {
		const workflow = await publish();
		for (const id of ['a', 'b']) {
			const service = arriveSlowly(id);
			await service.untilPolls(1);
			await publishAgain(workflow);
			await service.untilPolls(2);
			service.respond();
			await untilEmitted(workflow, list.length - 1);
		}
		const service = arriveSlowly('c');
		await service.untilPolls(1);
		await n8n.rest.unpublish(workflow);
		service.respond();
		await n8n.rest.publish(await n8n.rest.workflow(workflow.id));
		await untilEmitted(workflow, 3);
		await untilPolls(2);
		expect(await emitted(workflow)).toEqual(['a', 'b', 'c']);
		await n8n.rest.unpublish(workflow);
	},
	TIMEOUT_MS,
);

test.each([429, 502])(
	'a service that answers HTTP %d while the workflow is published, or n8n starts, stops nothing',
	async (status) => {
		const workflow = await publish();
		server.respondWith({ status, headers: { 'retry-after': '0' } });
		await publishAgain(workflow);
		await waitUntil(
			'the warning',
			async () => (await n8n.log()).includes('The first poll failed'),
			N8N_LIMIT_MS,
		);
		expect(await n8n.rest.workflow(workflow.id)).toMatchObject({ active: true });
		list.push({ id: 'after publication' });
		server.onRequest(() => ({ body: list }));
		await untilEmitted(workflow, 1);

		await n8n.restart(() => server.respondWith({ status, headers: { 'retry-after': '0' } }));
		await untilPolls(1);
		list.push({ id: 'after the start' });
		server.onRequest(() => ({ body: list }));
		await untilEmitted(workflow, 2);
		await untilPolls(2);
		expect(await emitted(workflow)).toEqual(['after publication', 'after the start']);
		await n8n.rest.unpublish(workflow);
	},
	TIMEOUT_MS,
);

test(
	'a trigger whose node ID is __proto__ works, and so does n8n',
	async () => {
		const workflow = await publish({ id: '__proto__' });
		list.push({ id: 'a' });
		await untilEmitted(workflow, 1);
		await n8n.restart(() => {
			list.push({ id: 'b' });
		});
		await untilEmitted(workflow, 2);
		await untilPolls(2);
		expect(await emitted(workflow)).toEqual(['a', 'b']);
		await n8n.rest.unpublish(workflow);
	},
	TIMEOUT_MS,
);
