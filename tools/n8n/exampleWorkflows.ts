import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PROJECT } from './install';
import { runCli, type N8nHome } from './n8nProcess';

/** n8n's default name for a Manual Trigger, which the examples use. */
export const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';

/** Id of the example workflow for the main use case, from the QR code to the messages. */
export const BASICS = 'messagingBasics1';

/** Fields of the credential that the examples use, as n8n's CLI imports them. */
export interface ExampleCredential {
	baseUrl: string;
	clientId: string;
	token: string;
}

/** The port in the examples' image URLs. The demo's service uses it unless it is already in use. */
export const EXAMPLES_PORT = 3040;

/** @returns file name and JSON of each example workflow, with the image URLs pointing to `serviceUrl` */
export async function readExamples(serviceUrl: string): Promise<Array<[string, string]>> {
	const folder = join(PROJECT, 'examples');
	const read = async (file: string): Promise<[string, string]> => {
		const example = await readFile(join(folder, file), 'utf8');
		return [file, example.replaceAll(`http://127.0.0.1:${EXAMPLES_PORT}`, serviceUrl)];
	};
	return await Promise.all((await readdir(folder)).map(read));
}

/** Imports the examples and their credential with n8n's CLI. */
export async function importExamples(home: N8nHome, data: ExampleCredential): Promise<void> {
	const credential = join(home.userFolder, 'credential.json');
	const entry = {
		id: 'messagingAccount',
		name: 'Messaging Account account',
		type: 'messagingAccountApi',
		data,
	};
	await writeFile(credential, JSON.stringify([entry]));
	const workflows = join(home.userFolder, 'workflows');
	await rm(workflows, { recursive: true, force: true });
	await mkdir(workflows, { recursive: true });
	for (const [file, example] of await readExamples(data.baseUrl)) {
		await writeFile(join(workflows, file), example);
	}
	await runCli(home, ['import:credentials', `--input=${credential}`]);
	await runCli(home, ['import:workflow', '--separate', `--input=${workflows}`]);
}
