import type { INode } from 'n8n-workflow';

import type { N8nRest } from '../../tools/n8n/rest';
import { publishWebhook, type WebhookWorkflow } from './webhookWorkflow';
import { createNode } from './workflow';

/** Publishes a workflow that makes a file of the `picture` of each row, which is Base64, and sends it to its `number`. */
export async function publishFileSends(
	n8n: { rest: N8nRest },
	options: INode['parameters'],
	node: Partial<INode>,
): Promise<WebhookWorkflow> {
	const toFile = createNode('To File', {
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: {
			operation: 'toBinary',
			sourceProperty: 'picture',
			binaryPropertyName: 'data',
			options: { fileName: 'picture.png', mimeType: 'image/png' },
		},
	});
	const parameters: INode['parameters'] = {
		operation: 'sendImage',
		number: "={{ $('Rows').item.json.number }}",
		imageSource: 'binary',
		options,
	};
	return await publishWebhook(n8n, { parameters, ...node }, { earlierNodes: [toFile] });
}
