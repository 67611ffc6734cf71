import type { IConnections, IDataObject, INode } from 'n8n-workflow';

import type { N8nRest, SavedWorkflow } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { jsonOf } from '../support/webhookWorkflow';
import { connectTo, createNode, POLL_TIMES, publishWorkflow } from '../support/workflow';

export const TRIGGER = 'Messaging Account Trigger';

/** n8n's scheduler for polls that is to become the default. Each poll begins with what n8n has stored. */
export const SCHEDULER = {
	N8N_SCHEDULER_ENABLED: 'true',
	N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
	N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
};

/** With it, n8n keeps the state of each trigger by itself, with each poll. */
export const DURABLE = { ...SCHEDULER, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true' };

export const createTrigger = (
	credentials: INode['credentials'],
	parameters: INode['parameters'] = {},
	{ name = TRIGGER, id = name }: Partial<INode> = {},
) =>
	createNode(name, {
		id,
		type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
		parameters: { pollTimes: POLL_TIMES, event: 'newMessage', options: {}, ...parameters },
		credentials,
	});

/** Publishes a workflow that has only the trigger. Newer n8n versions poll some time after they have responded. */
export async function publishTrigger(
	{ rest }: { rest: N8nRest },
	credentials: INode['credentials'],
	parameters?: INode['parameters'],
): Promise<SavedWorkflow> {
	return await publishWorkflow(rest, TRIGGER, [createTrigger(credentials, parameters)]);
}

/** The nodes and connections of a workflow that each trigger starts. */
export function startedBy(...triggers: INode[]): { nodes: INode[]; connections: IConnections } {
	const after = createNode('After', { type: 'n8n-nodes-base.noOp', parameters: {} });
	const starts = triggers.map(({ name }) => [name, { main: [connectTo(after.name)] }]);
	return { nodes: [...triggers, after], connections: Object.fromEntries(starts) as IConnections };
}

/** Returns the items with which a trigger has started a workflow so far. */
export async function emitted(
	{ rest }: { rest: N8nRest },
	workflow: SavedWorkflow,
	trigger = TRIGGER,
): Promise<IDataObject[]> {
	const executions = await rest.executions(workflow);
	return executions.flatMap((execution) => jsonOf(execution, trigger));
}

/** @param n8n its `rest` may become another one after a restart */
export async function untilEmitted(
	n8n: { rest: N8nRest },
	workflow: SavedWorkflow,
	count: number,
	trigger = TRIGGER,
): Promise<void> {
	const isEmitted = async (saw: Saw) => saw(await emitted(n8n, workflow, trigger)).length >= count;
	await waitUntil(`${count} items of ${trigger}`, isEmitted, N8N_LIMIT_MS);
}

/** Waits for so many more polls. */
export async function untilPolls(countPolls: () => number, more: number): Promise<void> {
	const end = countPolls() + more;
	await waitUntil(`${more} polls`, (saw) => saw(countPolls()) >= end, N8N_LIMIT_MS);
}
