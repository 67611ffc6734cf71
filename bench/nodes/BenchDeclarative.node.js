// @ts-check

/** @type {Array<[label: string, name: string]>} */
const FIELDS = [
	['Number', 'number'],
	['Image URL', 'url'],
	['Caption', 'caption'],
];

/** Send Image as a declarative node, the style that n8n recommends for APIs. */
exports.BenchDeclarative = class {
	/** @type {import('n8n-workflow').INodeTypeDescription} */
	description = {
		displayName: 'Bench Declarative',
		name: 'benchDeclarative',
		group: ['output'],
		version: 1,
		description: 'Send images without code',
		defaults: { name: 'Bench Declarative' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingAccountApi', required: true }],
		requestDefaults: { baseURL: '={{ $credentials.baseUrl }}' },
		properties: [
			{
				displayName: 'Operation',
				name: 'operation',
				type: 'options',
				options: [
					{
						name: 'Send Image',
						value: 'sendImage',
						routing: { request: { method: 'POST', url: '/v1/sendImage' } },
					},
				],
				default: 'sendImage',
			},
			...FIELDS.map(([displayName, name]) => ({
				displayName,
				name,
				type: /** @type {const} */ ('string'),
				default: '',
				routing: { send: { type: /** @type {const} */ ('body'), property: name } },
			})),
		],
	};
};
