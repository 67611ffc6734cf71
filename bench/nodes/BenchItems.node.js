// @ts-check

/** Outputs items with a number, an image URL and a caption for the measured nodes. */
exports.BenchItems = class {
	/** @type {import('n8n-workflow').INodeTypeDescription} */
	description = {
		displayName: 'Bench Items',
		name: 'benchItems',
		group: ['transform'],
		version: 1,
		description: 'Give recipients to send an image to',
		defaults: { name: 'Bench Items' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [
			{ displayName: 'Count', name: 'count', type: 'number', default: 1 },
			{ displayName: 'Image URL', name: 'url', type: 'string', default: '' },
		],
	};

	/** @this {import('n8n-workflow').IExecuteFunctions} */
	async execute() {
		const count = Number(this.getNodeParameter('count', 0));
		const url = String(this.getNodeParameter('url', 0));
		const items = Array.from({ length: count }, (_, i) => ({
			json: { number: String(491_500_000_000 + i), url, caption: `Order ${i} is on its way` },
			pairedItem: 0,
		}));
		return [items];
	}
};
