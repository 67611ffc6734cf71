import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { ListrTask } from 'listr2';

import { installN8n, installPackage, LOCAL, packProject, PROJECT } from '../tools/n8n/install';
import { N8N_VERSION } from '../tools/n8n/versions';
import { installDatabases } from '../test/queue/databases';

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
 * Writes the figures with the versions of n8n and Node.js to .local, and the chart: that of a full run to `results`, from
 * where the documentation shows it.
 */
export async function writeResults(
	isShort: boolean,
	figures: object,
	chart: string,
): Promise<void> {
	const folder = join(LOCAL, 'bench');
	const files = {
		[join(folder, 'results.json')]: JSON.stringify(
			{ n8n: N8N_VERSION, node: process.version, ...figures },
			undefined,
			'\t',
		),
		[join(isShort ? folder : join(__dirname, 'results'), 'chart.svg')]: chart,
	};
	await mkdir(folder, { recursive: true });
	for (const [file, text] of Object.entries(files)) await writeFile(file, `${text}\n`);
	const written = Object.keys(files).map((file) => relative(PROJECT, file));
	console.log(`\nWritten: ${written.join(' and ')}`);
}
