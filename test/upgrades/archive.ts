/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, no-console, @typescript-eslint/no-require-imports -- it runs n8n, loads the build at run time, and prints to the terminal */
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject, INode, INodeType, INodeTypeDescription } from 'n8n-workflow';

import manifest from '../../package.json';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { EXAMPLES_PORT, MANUAL_TRIGGER, readExamples } from '../../tools/n8n/exampleWorkflows';
import { installN8n, installPackage, packProject, PROJECT } from '../../tools/n8n/install';
import type { Execution } from '../../tools/n8n/rest';
import { saveCredential, saveSends, startRealN8n } from '../n8n/realN8n';
import { publishFileSends } from '../support/fileWorkflow';
import { startScriptedServer } from '../support/scriptedServer';
import { DROPPED, REFUSED } from '../support/sendService';
import { NODE } from '../support/webhookWorkflow';
import { createNode, publishWorkflow, waitForState } from '../support/workflow';
import { UNPACKED } from './earlierNodes';
import { createNodesWithEveryParameter } from './everyParameter';
import { getArchiveFolder, type SavedData } from './saved';

void main();

/**
 * Archives the data that upgrade tests of later versions start from: the tarball of this version, and the data that a real
 * n8n saves with it. Run this for every release.
 */
async function main(): Promise<void> {
	const tarball = await packProject();
	process.env.TEST_N8N_BIN = await installN8n();
	process.env.TEST_NODES_FOLDER = await installPackage(tarball);
	const folder = getArchiveFolder(manifest.version);
	await mkdir(folder, { recursive: true });
	await copyFile(tarball, join(folder, 'package.tgz'));
	const saved = JSON.stringify(await saveWithThisVersion(), undefined, '\t');
	await writeFile(join(folder, 'saved.json'), `${saved}\n`);
	await rm(join(UNPACKED, manifest.version), { recursive: true, force: true });
	console.log(`Archived ${manifest.version} in ${folder}.`);
}

async function saveWithThisVersion(): Promise<SavedData> {
	const server = await startScriptedServer();
	const account = { baseUrl: server.url, clientId: 'client-7f3a' };
	const listed = [{ id: 'a' }, { id: 'b', text: 'Good morning' }];
	server.onRequest(({ path, body }) => {
		if (path === '/v1/status') return { body: { is_connected: true } };
		if (path === '/v1/messages') return { body: listed };
		const { number } = body as { number: string };
		if (number === '49152') return REFUSED;
		return number === '49154' ? DROPPED : { body: { id: `m${number}` } };
	});
	const n8n = await startRealN8n();
	try {
		const credentials = await saveCredential(n8n.rest, { ...account, token: 'token-91c2-5d' });
		const stateOf = async (event: string) => {
			const trigger = createNode(event, {
				type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
				parameters: { event, pollTimes: { item: [{ mode: 'everyMinute' }] } },
				credentials,
			});
			const { id } = await publishWorkflow(n8n.rest, event, [trigger]);
			return (await waitForState(n8n.rest, id, event)) as SavedData['states'][string];
		};
		const sendTo = async (...numbers: string[]) => {
			const items = numbers.map((number) => ({ number }));
			const workflow = await saveSends(n8n.rest, items, { credentials });
			return contextOf(await n8n.rest.run(workflow, MANUAL_TRIGGER));
		};
		const file = samplePicture().toString('base64');
		const fileSends = await publishFileSends(n8n, { handOverAs: 'dataUri' }, { credentials });
		await fileSends.post(['49151', '49152'].map((number) => ({ number, picture: file })));
		const [sentFiles] = await fileSends.waitForExecutions(1);
		return {
			account,
			nodes: [
				...(await readExampleNodes()),
				...getBuiltDescriptions().flatMap(createNodesWithEveryParameter),
			],
			listed,
			states: {
				newMessage: await stateOf('newMessage'),
				connectionChanged: await stateOf('connectionChanged'),
			},
			sends: await sendTo('49151', '49152', '49153'),
			unknown: await sendTo('49151', '49154'),
			files: { context: contextOf(sentFiles), file },
		};
	} finally {
		await n8n.stop();
		await server.close();
	}
}

function contextOf({ status, data }: Execution): IDataObject {
	if (status !== 'error') throw new Error(`The execution ended with the status ${status}.`);
	return data.executionData!.contextData[`node:${NODE}`];
}

/** Returns the descriptions of the built nodes. */
function getBuiltDescriptions(): INodeTypeDescription[] {
	return manifest.n8n.nodes.map((file) => {
		const [NodeType] = Object.values(
			require(join(PROJECT, file)) as Record<string, new () => INodeType>,
		);
		return new NodeType().description;
	});
}

/** Returns our nodes in the example workflows. */
async function readExampleNodes(): Promise<INode[]> {
	const examples = (await readExamples(`http://127.0.0.1:${EXAMPLES_PORT}`)).map(
		([, text]) => JSON.parse(text) as { nodes: INode[] },
	);
	return examples
		.flatMap(({ nodes }) => nodes)
		.filter(({ type }) => type.startsWith('n8n-nodes-messaging-account.'));
}
