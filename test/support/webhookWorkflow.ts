import type { IConnections, IDataObject, INode, IPairedItemData } from 'n8n-workflow';

import { hasEnded, outputsOf, type Execution, type N8nRest } from '../../tools/n8n/rest';
import { N8N_LIMIT_MS, waitUntil, type Saw } from './waitUntil';
import { connectInSequence, connectTo, createNode, publishWorkflow } from './workflow';

/** Name of the tested node. */
export const NODE = 'Messaging Account';

/** A workflow that runs when rows are posted to it. Each row is an item for the node. */
export type WebhookWorkflow = Awaited<ReturnType<typeof publishWebhook>>;

let published = 0;

/**
 * Publishes a workflow that runs the node for each row.
 *
 * @param n8n its `rest` and `webhooksUrl` may become others after a restart; without the latter, webhooks are posted to `rest`
 * @param more nodes that run before and after the node, one after another; connections that are others; and how many rows at a
 *   time a loop gives to the node
 */
export async function publishWebhook(
	n8n: { rest: N8nRest; webhooksUrl?: string },
	node: Pick<INode, 'parameters' | 'credentials'> & Partial<INode>,
	{
		earlierNodes = [],
		laterNodes = [],
		connections,
		loopOf,
	}: {
		earlierNodes?: INode[];
		laterNodes?: INode[];
		connections?: IConnections;
		loopOf?: number;
	} = {},
) {
	const path = `rows-${++published}`;
	const loop = createNode('Loop', {
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize: loopOf, options: {} },
	});
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
		...earlierNodes,
		...(loopOf ? [loop] : []),
		createNode(NODE, { type: 'n8n-nodes-messaging-account.messagingAccount', ...node }),
		...laterNodes,
	];
	const saved = await publishWorkflow(n8n.rest, path, nodes, {
		...connectInSequence(nodes),
		...(loopOf && {
			[loop.name]: { main: [[], connectTo(NODE)] },
			[NODE]: { main: [connectTo(loop.name)] },
		}),
		...connections,
	});
	return {
		saved,
		/** Returns once the execution is enqueued. */
		async post(rows: object[]) {
			let status = 404;
			// n8n registers a webhook some time after it has published the workflow.
			const hasPosted = async (saw: Saw) => {
				({ status } = await fetch(`${n8n.webhooksUrl ?? n8n.rest.url}/webhook/${path}`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ rows }),
				}));
				return saw(status) !== 404;
			};
			await waitUntil(`the webhook ${path}`, hasPosted, N8N_LIMIT_MS);
			if (status !== 200)
				throw new Error(`n8n responded with HTTP ${status} to a post to ${path}.`);
		},
		/** Waits until this many executions have finished. */
		async waitForExecutions(count: number) {
			const haveEnded = async (saw: Saw) => {
				const listed = await n8n.rest.listExecutions(saved);
				saw(listed.map(({ status }) => status));
				return listed.length >= count && listed.every(hasEnded);
			};
			await waitUntil(`the end of ${count} executions`, haveEnded, N8N_LIMIT_MS);
			return await n8n.rest.executions(saved);
		},
	};
}

/** Creates parameters of Send Image to each row's number. */
export const createSendParameters = (
	url: string,
	options: INode['parameters'] = {},
): INode['parameters'] => ({ operation: 'sendImage', number: '={{ $json.number }}', url, options });

/** Returns what a node gave in its last run: the JSON of the items of an output. */
export const jsonOf = (execution: Execution, node = NODE, output = 0): IDataObject[] =>
	(outputsOf(execution, node)[output] ?? []).map(({ json }) => json);

/**
 * Returns one character for each item of the output: S for one that was sent before, C for one that is another message now,
 * U for one that is unknown, N for one that was sent now.
 *
 * @param rows as posted; the service makes the id of a message from its number
 */
export function resultsOf(execution: Execution, rows: Array<{ number: string }>): string {
	const [items = []] = outputsOf(execution, NODE);
	return items
		.map(({ json, pairedItem }) => {
			const { item } = pairedItem as IPairedItemData;
			if (json.error) return (json.error as IDataObject).delivery === 'unknown' ? 'U' : '!';
			if (json.reason === 'changed') return 'C';
			if (json.sent) return json.id === null ? 'S' : '!';
			return json.id === `m${rows[item].number}` ? 'N' : '!';
		})
		.join('');
}
