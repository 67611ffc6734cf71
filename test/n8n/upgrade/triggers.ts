import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf, type SavedWorkflow } from '../../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow, waitForState } from '../../support/workflow';
import type { RealN8n } from '../realN8n';
import type { Service, UpgradeTest } from './upgradeTest';

const TRIGGER = 'Messaging Account Trigger';

/** Publishes a workflow with the trigger, and waits until its state is saved. */
async function publishTrigger(
	n8n: RealN8n,
	{ credentials }: Service,
	event: string,
	options: INode['parameters'] = {},
): Promise<SavedWorkflow> {
	const trigger = createNode(TRIGGER, {
		type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
		parameters: { event, pollTimes: POLL_TIMES, options },
		credentials,
	});
	const workflow = await publishWorkflow(n8n.rest, event, [trigger]);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	return workflow;
}

/** Returns all items that the trigger has emitted. */
async function emittedBy(n8n: RealN8n, workflow: SavedWorkflow): Promise<IDataObject[]> {
	const executions = await n8n.rest.executions(workflow);
	return executions.flatMap((execution) =>
		outputsOf(execution, TRIGGER).flatMap((items) => items.map(({ json }) => json)),
	);
}

/** Waits until the trigger has emitted so many items. */
function untilEmitted(n8n: RealN8n, workflow: SavedWorkflow, count: number): Promise<unknown> {
	const isEnough = async (saw: Saw) => saw(await emittedBy(n8n, workflow)).length >= count;
	return waitUntil(`${count} items`, isEnough, N8N_LIMIT_MS);
}

/** Waits until the trigger has made one more request, and one after it: then what it emitted for the first one is stored. */
async function waitForPoll({ server }: Service): Promise<void> {
	const { length } = server.requests;
	await waitUntil('two polls', (saw) => saw(server.requests.length) > length + 1, N8N_LIMIT_MS);
}

/** The messages of a service, and how they are identified. */
const MESSAGES: Record<string, (text: string) => object> = {
	'with IDs': (text) => ({ id: text, text }),
	'without IDs': (text) => ({ text }),
	'with IDs in another field': (text) => ({ message: { key: text }, text }),
};

export const triggers: Record<string, UpgradeTest> = {
	...Object.fromEntries(
		Object.entries(MESSAGES).map(([kind, createMessage]) => [
			`New Message emits each message ${kind} once`,
			async ({ n8n, service, whenDown }: Parameters<UpgradeTest>[0]) => {
				const listed = [createMessage('before it was published')];
				service.server.onRequest(() => ({ body: listed }));
				const options = kind.includes('field') ? { messageIdField: 'message.key' } : {};
				const workflow = await publishTrigger(n8n, service, 'newMessage', options);
				const emitted = async () => (await emittedBy(n8n, workflow)).map(({ text }) => text);
				listed.push(createMessage('with the earlier version'));
				await untilEmitted(n8n, workflow, 1);
				void whenDown.then(() => listed.push(createMessage('while it was installed')));
				return async () => {
					await untilEmitted(n8n, workflow, 2);
					listed.push(createMessage('with this version'));
					await untilEmitted(n8n, workflow, 3);
					expect(await emitted()).toEqual([
						'with the earlier version',
						'while it was installed',
						'with this version',
					]);
				};
			},
		]),
	),

	'Connection Changed emits what changed while this version was installed': async ({
		n8n,
		service,
		whenDown,
	}) => {
		let isConnected = true;
		service.server.onRequest(() => ({ body: { is_connected: isConnected } }));
		const workflow = await publishTrigger(n8n, service, 'connectionChanged');
		void whenDown.then(() => (isConnected = false));
		return async () => {
			await untilEmitted(n8n, workflow, 1);
			await waitForPoll(service);
			expect(await emittedBy(n8n, workflow)).toEqual([{ is_connected: false, previous: true }]);
		};
	},

	'Connection Changed emits nothing as long as nothing changes': async ({ n8n, service }) => {
		let isConnected = true;
		service.server.onRequest(() => ({ body: { is_connected: isConnected } }));
		const workflow = await publishTrigger(n8n, service, 'connectionChanged');
		isConnected = false;
		await untilEmitted(n8n, workflow, 1);
		return async () => {
			await waitForPoll(service);
			isConnected = true;
			await untilEmitted(n8n, workflow, 2);
			expect(await emittedBy(n8n, workflow)).toEqual([
				{ is_connected: false, previous: true },
				{ is_connected: true, previous: false },
			]);
		};
	},
};
