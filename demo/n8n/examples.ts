/* eslint-disable @n8n/community-nodes/no-restricted-imports -- not part of the published node: it imports files into n8n on this machine */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCli, type N8nHome } from './process';

/** The name that n8n gives a Manual Trigger, and the examples keep. */
export const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';

/** The id of the example that does the main job. */
export const BASICS = 'messagingBasics1';

/** The credential that the examples name, as n8n's CLI takes it. */
export interface ExampleCredential {
	baseUrl: string;
	clientId: string;
	token: string;
}

/** Imports the workflows of a folder, and the credential that they name, with n8n's own CLI. */
export async function importExamples(
	home: N8nHome,
	workflows: string,
	data: ExampleCredential,
): Promise<void> {
	const credential = join(home.userFolder, 'credential.json');
	const entry = {
		id: 'messagingAccount',
		name: 'Messaging Account account',
		type: 'messagingAccountApi',
		data,
	};
	await writeFile(credential, JSON.stringify([entry]));
	await runCli(home, ['import:credentials', `--input=${credential}`]);
	await runCli(home, ['import:workflow', '--separate', `--input=${workflows}`]);
}
