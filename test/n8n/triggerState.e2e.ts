import type { IDataObject, INode } from 'n8n-workflow';

import type { SavedWorkflow } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { createNode, publishWorkflow, waitForState } from '../support/workflow';
import { useRealN8nWithServer } from './realN8n';
import {
	createTrigger,
	emitted,
	publishTrigger,
	startedBy,
	TRIGGER,
	untilEmitted,
	untilPolls,
} from './triggers';

const { server, n8n, credentials } = useRealN8nWithServer();

let list: IDataObject[];
let workflow: SavedWorkflow;

beforeEach(() => {
	list = [{ id: 'old' }];
	server.onRequest(() => ({ body: list }));
});

afterEach(async () => await n8n.rest.unpublish(workflow));

const countPolls = () => server.requests.length;

const trigger = (id: string, name: string) => createTrigger(credentials, {}, { id, name });
const emittedBy = async (name?: string) => (await emitted(n8n, workflow, name)).map(({ id }) => id);
const untilEmittedBy = async (name: string, count: number) =>
	await untilEmitted(n8n, workflow, count, name);

/** Saves a change, and publishes it, as somebody does who edits a workflow that runs. */
async function publishAgain(change: Partial<SavedWorkflow>): Promise<void> {
	const saved = await n8n.rest.workflow(workflow.id);
	await n8n.rest.save({ ...saved, ...change });
	await n8n.rest.publish(await n8n.rest.workflow(workflow.id));
}

/** Unpublishes the workflow, and publishes it with these triggers. A message comes meanwhile. */
async function publishWith(id: string, ...triggers: INode[]): Promise<void> {
	await n8n.rest.unpublish(workflow);
	list.push({ id });
	await publishAgain(startedBy(...triggers));
}

test('a renamed trigger emits what came since, although a new one has its old name', async () => {
	workflow = await publishWorkflow(n8n.rest, 'Renamed', [trigger('n1', 'First')]);
	await waitForState(n8n.rest, workflow.id, 'First');

	await publishWith('meanwhile', trigger('n1', 'Renamed'), trigger('n2', 'First'));
	await untilEmittedBy('Renamed', 1);
	list.push({ id: 'a' }, { id: 'b' });
	await untilEmittedBy('Renamed', 3);
	await untilEmittedBy('First', 2);

	await publishWith('again', trigger('n1', 'First'), trigger('n2', 'Renamed'));
	await untilEmittedBy('First', 3);
	await untilEmittedBy('Renamed', 4);
	await untilPolls(countPolls, 4);
	expect(await emittedBy('Renamed')).toEqual(['meanwhile', 'a', 'b', 'again']);
	expect(await emittedBy('First')).toEqual(['a', 'b', 'again']);
});

test('a possible gap starts the error workflow, and its messages the workflow', async () => {
	const onError = await publishWorkflow(n8n.rest, 'On error', [
		createNode('Error Trigger', { type: 'n8n-nodes-base.errorTrigger', parameters: {} }),
	]);
	workflow = await n8n.rest.create({
		name: 'Gap',
		settings: { executionOrder: 'v1', errorWorkflow: onError.id },
		...startedBy(createTrigger(credentials)),
	});
	await n8n.rest.publish(workflow);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	list.splice(0, 1, { id: 'a' }, { id: 'b' });
	await untilEmittedBy(TRIGGER, 2);
	const isRecorded = async (saw: Saw) => {
		const executions = await n8n.rest.executions(workflow);
		const errors = executions.map(({ data }) => data.resultData.error?.message ?? '');
		return saw(errors).some((text) => text.startsWith('Messages may have been missed'));
	};
	await waitUntil('the failed execution', isRecorded, N8N_LIMIT_MS);
	const isStarted = async (saw: Saw) => saw(await n8n.rest.listExecutions(onError)).length > 0;
	await waitUntil('the error workflow', isStarted, N8N_LIMIT_MS);
});

/** A message arrives, and polls are not answered until `respond` is called. */
function arriveSlowly(id: string) {
	list = [...list, { id }];
	const body = JSON.stringify(list);
	const held: Array<() => void> = [];
	server.onRequest(() => (response) => void held.push(() => response.end(body)));
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
	workflow = await publishTrigger(n8n, credentials);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	for (const id of ['a', 'b']) {
		const service = arriveSlowly(id);
		await service.untilHeld(1);
		const { nodes } = await n8n.rest.workflow(workflow.id);
		// Had only its position changed, n8n would keep the trigger as it is.
		(nodes[0].parameters.pollTimes as { item: unknown[] }).item.reverse();
		await publishAgain({ nodes });
		await service.untilHeld(2);
		service.respond();
		await untilEmittedBy(TRIGGER, list.length - 1);
	}
	const service = arriveSlowly('c');
	await service.untilHeld(1);
	await n8n.rest.unpublish(workflow);
	service.respond();
	await n8n.rest.publish(await n8n.rest.workflow(workflow.id));
	await untilEmittedBy(TRIGGER, 3);
	await untilPolls(countPolls, 2);
	expect(await emittedBy()).toEqual(['a', 'b', 'c']);
});
