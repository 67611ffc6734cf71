import type { IDataObject, INode } from 'n8n-workflow';

import { hasEnded, type Execution, type N8nRest, type SavedWorkflow } from '../../tools/n8n/rest';
import { until } from '../support/until';
import { node, publish } from '../support/workflow';

/** The name of the node that is tried. */
export const NODE = 'Messaging Account';

/** A workflow that runs when rows are posted to it: each of them is an item for the node. */
export interface WebhookWorkflow {
	saved: SavedWorkflow;
	/** Gives no answer but that the execution was enqueued. */
	post(rows: IDataObject[]): Promise<void>;
	/** Waits for as many executions as there are to be, each at its end. */
	executions(count: number): Promise<Execution[]>;
}

let published = 0;

/** Sends, or what else the parameters say, for each row. */
export async function publishWebhook(
	rest: N8nRest,
	parameters: INode['parameters'],
	credentials: INode['credentials'],
): Promise<WebhookWorkflow> {
	const path = `rows-${++published}`;
	const nodes = [
		node('Webhook', {
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { httpMethod: 'POST', path, options: {} },
		}),
		node('Rows', {
			type: 'n8n-nodes-base.splitOut',
			parameters: { fieldToSplitOut: 'body.rows', options: {} },
		}),
		node(NODE, {
			type: 'n8n-nodes-messaging-account.messagingAccount',
			parameters,
			credentials,
		}),
	];
	const saved = await publish(rest, path, nodes);
	return {
		saved,
		async post(rows) {
			const { ok, status } = await fetch(`${rest.url}/webhook/${path}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ rows }),
			});
			if (!ok) throw new Error(`n8n answers ${status} to what is posted to ${path}.`);
		},
		async executions(count) {
			await until(async () => {
				const listed = await rest.listExecutions(saved);
				return listed.length >= count && listed.every(hasEnded);
			});
			return await rest.executions(saved);
		},
	};
}

/** Send Image to each row's number. */
export function sendTo(url: string, options: INode['parameters'] = {}): INode['parameters'] {
	return { operation: 'sendImage', number: '={{ $json.number }}', url, options };
}
