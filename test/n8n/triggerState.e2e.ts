import type { IDataObject, INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import type { ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { jsonOf } from '../support/webhookWorkflow';
import {
	connectTo,
	createNode,
	POLL_TIMES,
	publishWorkflow,
	waitForState,
} from '../support/workflow';
import { useRealN8nWithServer, type RealN8n } from './realN8n';
import { untilPolls } from './triggers';

let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

useRealN8nWithServer((started) => ({ server, n8n, credentials } = started));

let list: IDataObject[];
let workflow: SavedWorkflow;

beforeEach(() => {
	list = [];
	server.onRequest(() => ({ body: list }));
});

afterEach(async () => await n8n.rest.unpublish(workflow));

const countPolls = () => server.requests.length;

const createTrigger = (id: string, name: string, options: IDataObject = {}) =>
	createNode(name, {
		id,
		type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
		parameters: { pollTimes: POLL_TIMES, event: 'newMessage', options } as INode['parameters'],
		credentials,
	});
const AFTER = createNode('After', { type: 'n8n-nodes-base.noOp', parameters: {} });
const connectAll = (...names: string[]) =>
	Object.fromEntries(names.map((name) => [name, { main: [connectTo('After')] }]));

async function emittedBy(trigger: string): Promise<unknown[]> {
	const executions = await n8n.rest.executions(workflow);
	return executions.flatMap((execution) => jsonOf(execution, trigger)).map(({ id }) => id);
}

async function untilEmittedBy(trigger: string, count: number): Promise<void> {
	const isEmitted = async (saw: Saw) => saw(await emittedBy(trigger)).length >= count;
	await waitUntil(`${count} items of ${trigger}`, isEmitted, N8N_LIMIT_MS);
}

/** Unpublishes the workflow, and publishes it with these triggers. A message comes meanwhile. */
async function publishWith(id: string, ...triggers: INode[]): Promise<void> {
	await n8n.rest.unpublish(workflow);
	const saved = await n8n.rest.workflow(workflow.id);
	const connections = connectAll(...triggers.map(({ name }) => name));
	await n8n.rest.save({ ...saved, nodes: [...triggers, AFTER], connections });
	list.push({ id });
	await n8n.rest.publish(await n8n.rest.workflow(workflow.id));
}

test('a renamed trigger emits what came since, although a new one has its old name', async () => {
	list.push({ id: 'old' });
	const nodes = [createTrigger('n1', 'First'), AFTER];
	workflow = await publishWorkflow(n8n.rest, 'Renamed', nodes, connectAll('First'));
	await waitForState(n8n.rest, workflow.id, 'First');

	await publishWith('meanwhile', createTrigger('n1', 'Renamed'), createTrigger('n2', 'First'));
	await untilEmittedBy('Renamed', 1);
	list.push({ id: 'a' }, { id: 'b' });
	await untilEmittedBy('Renamed', 3);
	await untilEmittedBy('First', 2);

	await publishWith('again', createTrigger('n1', 'First'), createTrigger('n2', 'Renamed'));
	await untilEmittedBy('First', 3);
	await untilEmittedBy('Renamed', 4);
	await untilPolls(countPolls, 4);
	expect(await emittedBy('Renamed')).toEqual(['meanwhile', 'a', 'b', 'again']);
	expect(await emittedBy('First')).toEqual(['a', 'b', 'again']);
});

test('a possible gap starts the error workflow, and its messages the workflow', async () => {
	list.push({ id: 'old' });
	const onError = await publishWorkflow(n8n.rest, 'On error', [
		createNode('Error Trigger', { type: 'n8n-nodes-base.errorTrigger', parameters: {} }),
	]);
	const nodes = [createTrigger('n1', 'First'), AFTER];
	workflow = await n8n.rest.create({
		name: 'Gap',
		settings: { executionOrder: 'v1', errorWorkflow: onError.id },
		nodes,
		connections: connectAll('First'),
	});
	await n8n.rest.publish(workflow);
	await waitForState(n8n.rest, workflow.id, 'First');
	list.splice(0, 1, { id: 'a' }, { id: 'b' });
	await untilEmittedBy('First', 2);
	const isRecorded = async (saw: Saw) => {
		const executions = await n8n.rest.executions(workflow);
		const errors = executions.map(({ data }) => data.resultData.error?.message ?? '');
		return saw(errors).some((text) => text.startsWith('Messages may have been missed'));
	};
	await waitUntil('the failed execution', isRecorded, N8N_LIMIT_MS);
	const isStarted = async (saw: Saw) => saw(await n8n.rest.listExecutions(onError)).length > 0;
	await waitUntil('the error workflow', isStarted, N8N_LIMIT_MS);
});

test('a field that changes, and is named like a chat, makes no message new, nor does a restart', async () => {
	const message = (id: number) => ({ chat_status: 'online', chat_unread_count: 3, id, chat_id: 7 });
	list.push(...Array.from({ length: 26 }, (_, i) => message(i + 1)));
	const nodes = [createTrigger('n1', 'First'), AFTER];
	workflow = await publishWorkflow(n8n.rest, 'Counted', nodes, connectAll('First'));
	await waitForState(n8n.rest, workflow.id, 'First');

	for (const one of list) Object.assign(one, { chat_status: 'offline', chat_unread_count: 4 });
	list.push({ ...message(27), chat_status: 'offline' });
	await untilEmittedBy('First', 1);
	await untilPolls(countPolls, 2);
	// n8n has saved nothing since the publication but what the trigger has changed.
	await n8n.restart(() => {});
	await untilPolls(countPolls, 2);
	expect(await emittedBy('First')).toEqual([27]);
});
