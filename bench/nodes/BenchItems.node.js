// @ts-check
const { Readable } = require('node:stream');

const CHUNK_BYTES = 50_000;

/**
 * Yields a file that begins like a PNG.
 *
 * @param {number} size in bytes
 * @param {number} number another file for each
 */
function* createFile(size, number) {
	const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
	yield Buffer.concat([start, Buffer.alloc(8, number)]);
	for (let left = size - 16; left > 0; left -= CHUNK_BYTES) {
		yield Buffer.alloc(Math.min(left, CHUNK_BYTES), number);
	}
}

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
			{ displayName: 'Bytes of the File', name: 'fileBytes', type: 'number', default: 0 },
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
		const size = Number(this.getNodeParameter('fileBytes', 0));
		if (size === 0) return [items];
		const withFiles = [];
		for (const [i, item] of items.entries()) {
			const file = Readable.from(createFile(size, i));
			const data = await this.helpers.prepareBinaryData(file, 'picture.png', 'image/png');
			withFiles.push({ ...item, binary: { data } });
		}
		return [withFiles];
	}
};
