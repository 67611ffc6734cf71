import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf, type SavedWorkflow } from '../../../tools/n8n/rest';
import { waitUntil } from '../../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow } from '../../support/workflow';
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
	// Newer n8n versions respond before the first poll.
	await waitUntil(async () => {
		const { staticData } = await n8n.rest.get<{ staticData: IDataObject | null }>(
			`/rest/workflows/${workflow.id}`,
		);
		return staticData?.[`node:${TRIGGER}`] !== undefined;
	});
	return workflow;
}

/** Returns all items that the trigger has emitted. */
async function emittedBy(n8n: RealN8n, workflow: SavedWorkflow): Promise<IDataObject[]> {
	const executions = await n8n.rest.executions(workflow);
	return executions.flatMap((execution) =>
		outputsOf(execution, TRIGGER).flatMap((items) => items.map(({ json }) => json)),
	);
}

/** Waits until the trigger has made one more request, and one after it: then what it emitted for the first one is stored. */
async function waitForPoll({ server }: Service): Promise<void> {
	const { length } = server.requests;
	await waitUntil(() => server.requests.length > length + 1);
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
				await waitUntil(async () => (await emitted()).length > 0);
				void whenDown.then(() => listed.push(createMessage('while it was installed')));
				return async () => {
					await waitUntil(async () => (await emitted()).length > 1);
					listed.push(createMessage('with this version'));
					await waitUntil(async () => (await emitted()).length > 2);
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
			await waitUntil(async () => (await emittedBy(n8n, workflow)).length > 0);
			await waitForPoll(service);
			expect(await emittedBy(n8n, workflow)).toEqual([{ is_connected: false, previous: true }]);
		};
	},

	'Connection Changed emits nothing as long as nothing changes': async ({ n8n, service }) => {
		let isConnected = true;
		service.server.onRequest(() => ({ body: { is_connected: isConnected } }));
		const workflow = await publishTrigger(n8n, service, 'connectionChanged');
		isConnected = false;
		await waitUntil(async () => (await emittedBy(n8n, workflow)).length > 0);
		return async () => {
			await waitForPoll(service);
			isConnected = true;
			await waitUntil(async () => (await emittedBy(n8n, workflow)).length > 1);
			expect(await emittedBy(n8n, workflow)).toEqual([
				{ is_connected: false, previous: true },
				{ is_connected: true, previous: false },
			]);
		};
	},
};
