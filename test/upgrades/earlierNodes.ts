/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions, @n8n/community-nodes/require-node-api-error, @typescript-eslint/no-require-imports -- tests unpack and load archived code */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeType } from 'n8n-workflow';

import { LOCAL } from '../../tools/n8n/install';
import { getArchiveFolder } from './saved';

/** Each version in a folder of its own. */
export const UNPACKED = join(LOCAL, 'earlier');

/** Returns a node of an archived version. */
export function createEarlierNode(
	version: string,
	name: 'MessagingAccount' | 'MessagingAccountTrigger',
): INodeType {
	const folder = join(UNPACKED, version);
	if (!existsSync(folder)) unpack(version, folder);
	const file = join(folder, 'package/dist/nodes/MessagingAccount', `${name}.node.js`);
	const [NodeType] = Object.values(require(file) as Record<string, new () => INodeType>);
	return new NodeType();
}

/** The folder appears when it is complete: other tests may unpack at the same time. */
function unpack(version: string, folder: string): void {
	mkdirSync(join(folder, '..'), { recursive: true });
	const unpacked = mkdtempSync(`${folder}-`);
	execFileSync('tar', ['-xzf', join(getArchiveFolder(version), 'package.tgz'), '-C', unpacked]);
	try {
		renameSync(unpacked, folder);
	} catch (error) {
		rmSync(unpacked, { recursive: true });
		if (!existsSync(folder)) throw error;
	}
}
