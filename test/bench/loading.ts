/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- the bench starts processes */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { median } from './figures';

const STARTS = 15;

const SCRIPT = `
const { join } = require('node:path');
const { n8n } = require(join(process.argv[1], 'package.json'));
require(require.resolve('n8n-workflow', { paths: [process.argv[1]] }));
const start = performance.now();
for (const file of [...n8n.credentials, ...n8n.nodes]) require(join(process.argv[1], file));
console.log(performance.now() - start);
`;

/**
 * Loads all that n8n loads of the package, in new processes that have loaded n8n-workflow before.
 *
 * @param nodesFolder in which the package is installed
 * @returns ms, the median
 */
export async function loadingTime(nodesFolder: string): Promise<number> {
	const folder = join(nodesFolder, 'node_modules', 'n8n-nodes-messaging-account');
	const times: number[] = [];
	while (times.length < STARTS) {
		const { stdout } = await promisify(execFile)(process.execPath, ['-e', SCRIPT, folder]);
		times.push(Number(stdout));
	}
	return median(times);
}
