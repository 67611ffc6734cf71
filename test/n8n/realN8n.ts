import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject, IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import {
	prepareHome,
	startN8n,
	type N8nHome,
	type N8nOptions,
	type RunningN8n,
} from '../../tools/n8n/n8nProcess';
import { N8nRest, type SavedWorkflow } from '../../tools/n8n/rest';
import { randomPort } from '../support/ports';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { connectTo, createNode } from '../support/workflow';

export interface RealN8n {
	rest: N8nRest;
	/** Contains the database and logs. */
	userFolder: string;
	log(): Promise<string>;
	/** Stops n8n, and starts it again. */
	restart(whileDown: () => void | Promise<void>): Promise<void>;
	/** Kills n8n, like a power failure, and starts it again with the same user folder. */
	crash(whileDown?: () => Promise<void>): Promise<void>;
	/** Stops n8n, and removes its user folder. */
	stop(): Promise<void>;
}

/**
 * Starts a real n8n in an empty user folder, with the packed package installed and its owner logged in.
 *
 * @param before called before n8n starts, e.g. to import workflows
 * @param nodesFolder where community nodes are installed; by default the folder with the packed package
 */
export async function startRealN8n(
	before: (home: N8nHome) => Promise<void> = async () => {},
	options: N8nOptions = {},
	nodesFolder = fromGlobalSetup('TEST_NODES_FOLDER'),
): Promise<RealN8n> {
	const home: N8nHome = {
		bin: fromGlobalSetup('TEST_N8N_BIN'),
		userFolder: await mkdtemp(join(tmpdir(), 'messaging-account-n8n-')),
	};
	let n8n: RunningN8n | undefined;
	const stop = async () => {
		await n8n?.stop();
		await rm(home.userFolder, { recursive: true, force: true });
	};
	const start = async () => {
		n8n = await startN8n(home, randomPort(), options);
		const rest = new N8nRest(n8n.url);
		await rest.logIn();
		return rest;
	};
	try {
		await prepareHome(home, nodesFolder);
		await before(home);
		const real: RealN8n = {
			rest: await start(),
			userFolder: home.userFolder,
			stop,
			log: async () => await readFile(n8n!.logFile, 'utf8'),
			async restart(whileDown) {
				await n8n!.stop();
				await whileDown();
				real.rest = await start();
			},
			async crash(whileDown = async () => {}) {
				await n8n!.kill();
				await whileDown();
				real.rest = await start();
			},
		};
		return real;
	} catch (error) {
		await stop();
		throw error;
	}
}

/** Returns a value from install.ts, Jest's global setup. */
export function fromGlobalSetup(
	name: 'TEST_N8N_BIN' | 'TEST_TARBALL' | 'TEST_NODES_FOLDER',
): string {
	return process.env[name]!;
}

/** Saves a credential of the package's type. */
export async function saveCredential(
	rest: N8nRest,
	data: ICredentialDataDecryptedObject,
): Promise<INode['credentials']> {
	const name = 'Messaging Account account';
	const { id } = await rest.post<{ id: string }>('/rest/credentials', {
		name,
		type: 'messagingAccountApi',
		data,
	});
	return { messagingAccountApi: { id, name } };
}

interface RealN8nWithServer {
	server: ScriptedServer;
	n8n: RealN8n;
	/** For the server. */
	credentials: INode['credentials'];
}

/**
 * Starts a scripted server and a real n8n before the tests of a file, and stops both after them.
 *
 * @param receive gets both as soon as they run
 */
export function useRealN8nWithServer(
	receive: (started: RealN8nWithServer) => void,
	options?: N8nOptions,
): void {
	let server: ScriptedServer | undefined;
	let n8n: RealN8n | undefined;
	beforeAll(async () => {
		server = await startScriptedServer();
		n8n = await startRealN8n(undefined, options);
		const data = { baseUrl: server.url, clientId: 'client-7f3a', token: 'token-91c2-5d' };
		receive({ server, n8n, credentials: await saveCredential(n8n.rest, data) });
	});
	afterAll(async () => {
		await n8n?.stop();
		await server?.close();
	});
}

/**
 * Saves a workflow with a manual trigger, the node, and a node after each of its two outputs.
 *
 * @param items output of the trigger
 */
export async function saveWorkflow(
	rest: N8nRest,
	node: Partial<Omit<INode, 'parameters'>> & { parameters: IDataObject },
	items: IDataObject[],
): Promise<SavedWorkflow> {
	const noOp = (id: string, name: string, y: number) => ({
		id,
		name,
		type: 'n8n-nodes-base.noOp',
		typeVersion: 1,
		position: [400, y] as [number, number],
		parameters: {},
	});
	return await rest.create({
		name: 'Test',
		settings: { executionOrder: 'v1' },
		pinData: { [MANUAL_TRIGGER]: items.map((json) => ({ json })) },
		nodes: [
			{
				id: 'a',
				name: MANUAL_TRIGGER,
				type: 'n8n-nodes-base.manualTrigger',
				typeVersion: 1,
				position: [0, 0],
				parameters: {},
			},
			{
				id: 'b',
				name: 'Messaging Account',
				type: 'n8n-nodes-messaging-account.messagingAccount',
				typeVersion: 1,
				position: [200, 0],
				...node,
			},
			noOp('c', 'Success', 0),
			noOp('d', 'Failure', 200),
		],
		connections: {
			[MANUAL_TRIGGER]: { main: [connectTo('Messaging Account')] },
			'Messaging Account': { main: [connectTo('Success'), connectTo('Failure')] },
		},
	});
}

/** Saves such a workflow with Send Image to the `number` of each item. */
export async function saveSends(
	rest: N8nRest,
	items: IDataObject[],
	{ parameters, ...node }: Partial<INode>,
): Promise<SavedWorkflow> {
	const send = {
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: 'https://example.com/a.png',
	};
	return await saveWorkflow(rest, { ...node, parameters: { ...send, ...parameters } }, items);
}

/**
 * Lets such a workflow pass its items to the node in batches. At the end, the items of all batches go to the node Success.
 *
 * @param later runs after the node, in each round
 */
export function addLoop(workflow: SavedWorkflow, batchSize: number, later?: INode): void {
	const loop = createNode('Loop Over Items', {
		type: 'n8n-nodes-base.splitInBatches',
		typeVersion: 3,
		parameters: { batchSize, options: {} },
	});
	const node = 'Messaging Account';
	workflow.nodes.push(loop, ...(later ? [later] : []));
	workflow.connections = {
		[MANUAL_TRIGGER]: { main: [connectTo(loop.name)] },
		[loop.name]: { main: [connectTo('Success'), connectTo(node)] },
		[node]: { main: [connectTo((later ?? loop).name)] },
		...(later && { [later.name]: { main: [connectTo(loop.name)] } }),
	};
}
