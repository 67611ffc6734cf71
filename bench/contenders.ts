import type { INode } from 'n8n-workflow';

/** A way to send images. */
interface Sender {
	/** Whether the time of all nodes counts, because another node does part of the work. */
	countsAllNodes?: boolean;
	name: string;
	/** Number of concurrent requests. */
	concurrency: number;
}

/** Sends with a node of a workflow. */
export interface NodeContender extends Sender {
	node: BenchNode;
	/** Between the items and the node. */
	before?: BenchNode;
	/** Of the file in each item; none by default. */
	fileBytes?: number;
}

export type BenchNode = Pick<INode, 'type' | 'typeVersion' | 'parameters'>;

/** The lower limit: sends without n8n, with undici and kept-alive connections. */
interface RawContender extends Sender {
	node?: undefined;
}

export type Contender = NodeContender | RawContender;

export const HTTP_REQUEST = 'HTTP Request node';
export const DECLARATIVE = 'Declarative node';
export const FLOOR = "Platform's floor";
export const thisNode = (concurrency: number) => `This node, ${concurrency} at once`;
/** In workflows of one item. */
export const THIS_NODE = 'This node';
export const THIS_NODE_WITH_ID = 'This node, Send Once per ID';
const raw = (concurrency: number) => `undici, ${concurrency} at once`;

const CONCURRENCIES = [1, 10, 50];

/** The three parameters of a send, dragged from the input panel. */
const DRAGGED = {
	number: '={{ $json.number }}',
	url: '={{ $json.url }}',
	caption: '={{ $json.caption }}',
};

/** The same as expressions that only n8n can evaluate. */
const COMPUTED_FIELDS = {
	number: '={{ $json.number.trim() }}',
	url: '={{ $json.url.trim() }}',
	caption: '={{ $json.caption.trim() }}',
};

/** A node that keeps nothing but its output in memory, not even evaluated expressions. */
export const outputOnly = (url: string): NodeContender => ({
	name: 'Output only',
	concurrency: 1,
	node: {
		type: 'CUSTOM.benchFloor',
		typeVersion: 1,
		parameters: { number: '491500000000', url, caption: 'Hello' },
	},
});

export const sendImage = (fields: INode['parameters'], options: INode['parameters'] = {}) => ({
	type: 'n8n-nodes-messaging-account.messagingAccount',
	typeVersion: 1,
	parameters: { operation: 'sendImage', ...fields, options },
});

/** n8n answers when the workflow has ended. */
export const webhook = (path: string): BenchNode => ({
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	parameters: { httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'noData' },
});

const FILE_BYTES = 500_000;

export const BY_URL = 'This node, URLs';
export const BY_LINK = 'This node, files by link';

/** Ways to send files. The first one sends none, for comparison. */
export function fileContenders(baseUrl: string): NodeContender[] {
	const { number, caption } = DRAGGED;
	const fromFile = { number, caption, imageSource: 'binary' };
	const one = { concurrency: 1, fileBytes: FILE_BYTES, countsAllNodes: true };
	return [
		{ ...one, name: BY_URL, fileBytes: 0, node: sendImage(DRAGGED) },
		{ ...one, name: BY_LINK, node: sendImage(fromFile) },
		{
			...one,
			name: 'This node, files as data URI',
			node: sendImage(fromFile, { handOverAs: 'dataUri' }),
		},
		{
			...one,
			name: 'HTTP Request node, Base64 from a Code node',
			concurrency: Infinity,
			before: {
				type: 'n8n-nodes-base.code',
				typeVersion: 2,
				parameters: { mode: 'runOnceForEachItem', jsCode: TO_DATA_URI },
			},
			node: httpRequest(baseUrl),
		},
	];
}

/** What people write who send files with the HTTP Request node. */
const TO_DATA_URI = `const file = await this.helpers.getBinaryDataBuffer($itemIndex, 'data');
return { json: { ...$json, url: 'data:image/png;base64,' + file.toString('base64') } };`;

export const httpRequest = (baseUrl: string, fields = DRAGGED): BenchNode => ({
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
});

/** @param baseUrl of the service, for the node that does not read it from the credential */
export function contenders(baseUrl: string): Contender[] {
	return [
		...CONCURRENCIES.map((concurrency) => ({
			name: thisNode(concurrency),
			concurrency,
			node: sendImage(DRAGGED, concurrency === 1 ? {} : { concurrency }),
		})),
		{ name: 'This node, computed fields', concurrency: 1, node: sendImage(COMPUTED_FIELDS) },
		{
			name: HTTP_REQUEST,
			// Makes all requests at once unless its option "Batching" is set.
			concurrency: Infinity,
			node: httpRequest(baseUrl),
		},
		{
			name: DECLARATIVE,
			concurrency: Infinity,
			node: {
				type: 'CUSTOM.benchDeclarative',
				typeVersion: 1,
				parameters: { operation: 'sendImage', ...DRAGGED },
			},
		},
		{
			name: FLOOR,
			concurrency: 1,
			node: { type: 'CUSTOM.benchFloor', typeVersion: 1, parameters: DRAGGED },
		},
		...CONCURRENCIES.map((concurrency) => ({ name: raw(concurrency), concurrency })),
	];
}
