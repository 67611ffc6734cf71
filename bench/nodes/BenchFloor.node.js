// @ts-check

/**
 * The least that a node must do if it leaves everything to n8n: it reads the credential once, then for each item it reads
 * three parameters and makes one request with n8n's leanest helper.
 */
exports.BenchFloor = class {
	/** @type {import('n8n-workflow').INodeTypeDescription} */
	description = {
		displayName: 'Bench Floor',
		name: 'benchFloor',
		group: ['output'],
		version: 1,
		description: 'Send images, and nothing else',
		defaults: { name: 'Bench Floor' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'messagingAccountApi', required: true }],
		properties: [
			{ displayName: 'Number', name: 'number', type: 'string', default: '' },
			{ displayName: 'Image URL', name: 'url', type: 'string', default: '' },
			{ displayName: 'Caption', name: 'caption', type: 'string', default: '' },
		],
	};

	/** @this {import('n8n-workflow').IExecuteFunctions} */
	async execute() {
		const { baseUrl, clientId, token } = await this.getCredentials('messagingAccountApi');
		const { length } = this.getInputData();
		const items = [];
		for (let item = 0; item < length; item++) {
			const json = await this.helpers.httpRequest({
				method: 'POST',
				url: `${baseUrl}/v1/sendImage`,
				headers: { 'client-id': clientId, token },
				disableFollowRedirect: true,
				body: {
					number: this.getNodeParameter('number', item),
					url: this.getNodeParameter('url', item),
					caption: this.getNodeParameter('caption', item),
				},
			});
			items.push({ json, pairedItem: { item } });
		}
		return [items];
	}
};
