import type { INode } from 'n8n-workflow';

import { samplePicture } from '../../../tools/embeddedService/samplePicture';
import { MANUAL_TRIGGER } from '../../../tools/n8n/exampleWorkflows';
import { outputsOf, type SavedWorkflow } from '../../../tools/n8n/rest';
import type { RecordedRequest } from '../../support/scriptedServer';
import { NODE } from '../../support/webhookWorkflow';
import { connectTo, createNode } from '../../support/workflow';
import { readSavedData } from '../../upgrades/saved';
import { saveWorkflow, type RealN8n } from '../realN8n';
import type { Service, UpgradeTest } from './upgradeTest';

const NODES_WITH_OPTIONS: Array<INode['parameters']> = [
	{ operation: 'getStatus', binaryPropertyName: 'code', options: { timeout: 5000 } },
	{
		operation: 'getMessages',
		options: {
			queryParameters: { parameters: [{ name: 'chat', value: '={{ $json.number }}' }] },
			pageParameter: 'page',
			firstPage: 1,
			maxPages: 3,
			timeout: 5000,
		},
	},
	{ operation: 'getMessages', returnAll: false, limit: 1 },
	{
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: 'https://example.com/a.png',
		caption: '=Hello {{ $json.name }}',
		options: {
			concurrency: 2,
			delayBetweenSends: 1,
			resendUncertain: true,
			sendOnceId: '={{ $json.id }}',
			timeout: 5000,
		},
	},
];

/** Tools run as part of an agent only, and values that a script has made up need not make sense. */
function isRunnable({ name, type }: INode): boolean {
	return (
		type === 'n8n-nodes-messaging-account.messagingAccount' && !name.endsWith('everything set')
	);
}

/** An item with all fields that the saved nodes use. */
const ITEM = {
	id: 'order-1',
	number: '+49 (151) 000-001',
	name: 'Ada',
	picture: 'https://example.com/b.png',
	url: 'https://example.com/c.png',
	text: 'Hello',
	caption: 'Hello',
};
const INPUT = { ...ITEM, Number: ITEM.number, Caption: ITEM.caption };

/** Saves a workflow that gives the node such an item, with the file that it sends. */
async function saveSavedNode(
	n8n: RealN8n,
	{ server }: Service,
	node: Pick<INode, 'parameters'> & Partial<INode>,
): Promise<SavedWorkflow> {
	const workflow = await saveWorkflow(n8n.rest, node, [INPUT]);
	if (node.parameters.imageSource !== 'binary') return workflow;
	const outputPropertyName = node.parameters.binaryPropertyName;
	const download = createNode('Download', {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url: `${server.url}/picture.png`,
			options: { response: { response: { responseFormat: 'file', outputPropertyName } } },
		},
	});
	workflow.nodes.push(download);
	const { [MANUAL_TRIGGER]: toNode } = workflow.connections;
	workflow.connections[download.name] = toNode;
	workflow.connections[MANUAL_TRIGGER] = { main: [connectTo(download.name)] };
	await n8n.rest.save(workflow);
	return workflow;
}

/** Leaves out what is another one in each execution, and n8n's own address. */
function toComparable({ method, path, headers, body }: RecordedRequest): object {
	const text = JSON.stringify(body ?? null)
		.replaceAll(/http:\/\/localhost:\d+/g, 'n8n')
		.replace(/(-waiting\/)\d+/g, '$1')
		.replace(/(token|signature)=[\w.-]+/g, '$1=');
	return {
		method,
		path,
		headers: { ...headers, 'content-length': '' },
		body: JSON.parse(text) as unknown,
	};
}

export const savedNodes: Record<string, UpgradeTest> = {
	'saved nodes make the same requests and return the same items': async ({
		n8n,
		version,
		service,
	}) => {
		const { server, credentials } = service;
		server.onRequest(({ path }) => {
			if (path === '/picture.png') {
				return (response) =>
					response.writeHead(200, { 'content-type': 'image/png' }).end(samplePicture());
			}
			if (path === '/v1/status') return { body: { is_connected: true } };
			if (path === '/v1/sendImage') return { body: { id: 'm1' } };
			return { body: path.includes('page=2') ? [] : [{ id: 'a' }, { id: 'b' }] };
		});
		const save = async ({ parameters, onError }: Pick<INode, 'parameters' | 'onError'>) =>
			await saveSavedNode(n8n, service, { parameters, onError, credentials });
		const nodes = [
			...readSavedData(version).nodes.filter(isRunnable),
			...NODES_WITH_OPTIONS.map((parameters) => ({ parameters })),
		];
		/** Each is saved twice, because Send Once per ID is about one node. */
		const saved: Array<[SavedWorkflow, SavedWorkflow]> = [];
		for (const node of nodes) saved.push([await save(node), await save(node)]);
		const run = async (workflow: SavedWorkflow) => {
			server.requests.length = 0;
			const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
			expect(execution.data.resultData.error).toBeUndefined();
			const items = outputsOf(execution, NODE)[0].map(({ json }) => json);
			return { requests: server.requests.map(toComparable), items };
		};
		const before: unknown[] = [];
		for (const [workflow] of saved) before.push(await run(workflow));
		return async () => {
			const after: unknown[] = [];
			for (const [, workflow] of saved) after.push(await run(workflow));
			expect(after).toEqual(before);
			expect(after.length).toBeGreaterThan(NODES_WITH_OPTIONS.length);
		};
	},
};
