import type { INode } from 'n8n-workflow';

import type { LoadName } from './plan';

type BenchNode = Pick<INode, 'type' | 'typeVersion' | 'parameters'>;

/** A node that sends images. */
export interface Contender {
	name: string;
	node: BenchNode;
	skips?: LoadName[];
}

export const HTTP_REQUEST = 'HTTP Request node';
export const DECLARATIVE = 'Declarative node';
export const FLOOR = "Platform's floor";
export const thisNode = (concurrency: number) => `This node, ${concurrency} at once`;
/** In workflows of one item. */
export const THIS_NODE = 'This node';

/** Contenders that send one after another would mostly wait: the load `slow` shows as much. */
const ONE_AT_ONCE: Pick<Contender, 'skips'> = { skips: ['slowList'] };

const FIELDS = ['number', 'url', 'caption'];

const createFields = (create: (name: string) => string) =>
	Object.fromEntries(FIELDS.map((name) => [name, `={{ ${create(name)} }}`]));

/** The three parameters of a send, dragged from the input panel. */
const DRAGGED = createFields((name) => `$json.${name}`);

/** The same as expressions that only n8n can evaluate. */
const COMPUTED = createFields((name) => `$json.${name}.trim()`);

/** As dragged from a Webhook. */
const OF_BODY = createFields((name) => `$json.body.${name}`);

const sendImage = (fields: INode['parameters'], options: INode['parameters'] = {}) => ({
	type: 'n8n-nodes-messaging-account.messagingAccount',
	typeVersion: 1,
	parameters: { operation: 'sendImage', ...fields, options },
});

const floor = (parameters: INode['parameters']): Contender => ({
	name: FLOOR,
	node: { type: 'CUSTOM.benchFloor', typeVersion: 1, parameters },
	...ONE_AT_ONCE,
});

/** Makes all requests at once, n8n's default. */
const httpRequest = (baseUrl: string, fields: Record<string, string>): Contender => ({
	name: HTTP_REQUEST,
	node: {
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.5,
		parameters: {
			method: 'POST',
			url: `${baseUrl}/v1/sendImage`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'messagingAccountApi',
			sendBody: true,
			bodyParameters: {
				parameters: Object.entries(fields).map(([name, value]) => ({ name, value })),
			},
			options: {},
		},
	},
});

/** @param baseUrl of the service, for the node that does not read it from the credential */
export const listContenders = (baseUrl: string): Contender[] => [
	{ name: thisNode(1), node: sendImage(DRAGGED), ...ONE_AT_ONCE },
	...[10, 50].map((concurrency) => ({
		name: thisNode(concurrency),
		node: sendImage(DRAGGED, { concurrency }),
	})),
	{ name: 'This node, computed fields', node: sendImage(COMPUTED), ...ONE_AT_ONCE },
	httpRequest(baseUrl, DRAGGED),
	{
		name: DECLARATIVE,
		node: {
			type: 'CUSTOM.benchDeclarative',
			typeVersion: 1,
			parameters: { operation: 'sendImage', ...DRAGGED },
		},
		// n8n loses its database if a node keeps it busy for a minute.
		skips: ['longList'],
	},
	floor(DRAGGED),
];

/** Of workflows that send one image for each call of a webhook. */
export const callContenders = (baseUrl: string): Contender[] => [
	{ name: THIS_NODE, node: sendImage(OF_BODY) },
	{
		name: 'This node, Send Once per ID',
		node: sendImage(OF_BODY, { sendOnceId: '={{ $json.body.id }}' }),
	},
	httpRequest(baseUrl, OF_BODY),
	floor(OF_BODY),
];

/** A node that keeps nothing but its output in memory, not even evaluated expressions. */
export const outputOnly = (url: string): Contender => ({
	...floor({ number: '491500000000', url, caption: 'Hello' }),
	name: 'Output only',
});

/** n8n answers when the workflow has ended. */
export const webhook = (path: string): BenchNode => ({
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'noData' },
});
