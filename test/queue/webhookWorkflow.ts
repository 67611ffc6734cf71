import type { IDataObject, INode } from 'n8n-workflow';

import { hasEnded, type Execution, type N8nRest, type SavedWorkflow } from '../../tools/n8n/rest';
import { waitUntil } from '../support/waitUntil';
import { createNode, publishWorkflow } from '../support/workflow';

/** Name of the tested node. */
export const NODE = 'Messaging Account';

/** A workflow that runs when rows are posted to it. Each row is an item for the node. */
export interface WebhookWorkflow {
	saved: SavedWorkflow;
	/** Returns once the execution is enqueued. */
	post(rows: IDataObject[]): Promise<void>;
	/** Waits until this many executions have finished. */
	waitForExecutions(count: number): Promise<Execution[]>;
}

let published = 0;

/** Publishes a workflow that runs the node for each row. */
export async function publishWebhook(
	rest: N8nRest,
	parameters: INode['parameters'],
	credentials: INode['credentials'],
): Promise<WebhookWorkflow> {
	const path = `rows-${++published}`;
	const nodes = [
		createNode('Webhook', {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, options: {} },
		}),
		createNode('Rows', {
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		}),
		createNode(NODE, {
			type: 'n8n-nodes-messaging-account.messagingAccount',
			parameters,
			credentials,
		}),
	];
	const saved = await publishWorkflow(rest, path, nodes);
	return {
		saved,
		async post(rows) {
			const { ok, status } = await fetch(`${rest.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ rows }),
			});
			if (!ok) throw new Error(`n8n responded with HTTP ${status} to a post to ${path}.`);
		},
		async waitForExecutions(count) {
			await waitUntil(async () => {
				const listed = await rest.listExecutions(saved);
				return listed.length >= count && listed.every(hasEnded);
			});
			return await rest.executions(saved);
		},
	};
}

/** Creates parameters of Send Image to each row's number. */
export function createSendParameters(
	url: string,
	options: INode['parameters'] = {},
): INode['parameters'] {
	return { operation: 'sendImage', number: '={{ $json.number }}', url, options };
}
