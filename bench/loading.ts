import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { median } from './figures';

const PROCESS_COUNT = 15;

const SCRIPT = `
const { join } = require('node:path');
const { n8n } = require(join(process.argv[1], 'package.json'));
require(require.resolve('n8n-workflow', { paths: [process.argv[1]] }));
const start = performance.now();
for (const file of [...n8n.credentials, ...n8n.nodes]) require(join(process.argv[1], file));
console.log(performance.now() - start);
`;

/**
 * Measures how long the files that n8n loads from the package take, in new processes that already loaded n8n-workflow.
 *
 * @param nodesFolder where the package is installed
 * @returns the median, in ms
 */
export async function measureLoadTime(nodesFolder: string): Promise<number> {
	const folder = join(nodesFolder, 'node_modules', 'n8n-nodes-messaging-account');
	const times: number[] = [];
	while (times.length < PROCESS_COUNT) {
		const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, folder]);
		times.push(Number(stdout));
	}
	return median(times);
}
