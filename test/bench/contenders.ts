import type { INode } from 'n8n-workflow';

/** A way to send images. */
interface Sender {
	name: string;
	/** Number of concurrent requests. */
	concurrency: number;
}

/** Sends with a node of a workflow. */
export interface NodeContender extends Sender {
	node: Pick<INode, 'type' | 'typeVersion' | 'parameters'>;
}

/** The lower limit: sends without n8n, with undici and kept-alive connections. */
interface RawContender extends Sender {
	node?: undefined;
}

export type Contender = NodeContender | RawContender;

export const HTTP_REQUEST = 'HTTP Request node';
export const DECLARATIVE = 'Declarative node';
export const FLOOR = "Platform's floor";
export const thisNode = (concurrency: number) => `This node, ${concurrency} at once`;
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

const sendImage = (fields: INode['parameters'], options: INode['parameters'] = {}) => ({
	type: 'n8n-nodes-messaging-account.messagingAccount',
	typeVersion: 1,
	parameters: { operation: 'sendImage', ...fields, options },
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
						parameters: Object.entries(DRAGGED).map(([name, value]) => ({ name, value })),
					},
					options: {},
				},
			},
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
