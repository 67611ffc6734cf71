/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console -- the bench writes files and prints to the terminal */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { ListrTask } from 'listr2';

import { installN8n, installPackage, LOCAL, packProject, PROJECT } from '../../tools/n8n/install';
import { N8N_VERSION } from '../../tools/n8n/versions';
import { installDatabases } from '../queue/databases';

/** Called at the end of the bench, however it ends, the last one first. May be called twice. */
export type CleanUp = () => Promise<unknown>;

/** Otherwise Listr would exit on Ctrl-C and leave n8n running. */
export const LISTR_OPTIONS = { registerSignalListeners: false };

export interface Installed {
	/** Script that starts n8n. */
	bin: string;
	/** Where the packed package is installed. */
	nodesFolder: string;
}

export const INSTALL_DATABASES: ListrTask<Installed> = {
	title: 'Install the databases of queue mode, unless there are any',
	task: async () => await installDatabases(),
};

export const INSTALL: Array<ListrTask<Installed>> = [
	{
		title: 'Install n8n (a few minutes the first time)',
		task: async (context) => {
			context.bin = process.env.TEST_N8N_BIN = await installN8n();
		},
	},
	{
		title: 'Build, pack and install the package',
		task: async (context) => {
			const folder = await installPackage(await packProject());
			context.nodesFolder = process.env.TEST_NODES_FOLDER = folder;
		},
	},
];

/**
 * Writes files of results. Those of a full run are the ones that the README shows.
 *
 * @param files text, or anything to be written as JSON together with the versions of n8n and Node.js, by name
 */
export async function writeResults(
	isShort: boolean,
	files: Record<string, string | object>,
): Promise<void> {
	const folder = isShort ? join(LOCAL, 'bench') : join(__dirname, 'results');
	await mkdir(folder, { recursive: true });
	for (const [name, content] of Object.entries(files)) {
		const text =
			typeof content === 'string'
				? content
				: JSON.stringify({ n8n: N8N_VERSION, node: process.version, ...content }, undefined, '\t');
		await writeFile(join(folder, name), `${text}\n`);
	}
	console.log(`\nWritten to ${relative(PROJECT, folder)}: ${Object.keys(files).join(' and ')}`);
}
