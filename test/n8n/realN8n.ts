import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject, IDataObject, INode } from 'n8n-workflow';

import { startService } from '../../tools/embeddedService/service';
import { importExamples, MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import {
	prepareHome,
	startN8n,
	type N8nHome,
	type N8nOptions,
	type RunningN8n,
} from '../../tools/n8n/n8nProcess';
import { N8nRest, type SavedWorkflow } from '../../tools/n8n/rest';
import { randomPort } from '../support/ports';
import { startScriptedServer } from '../support/scriptedServer';
import { NODE } from '../support/webhookWorkflow';
import { connectTo, createNode } from '../support/workflow';

/** What a service asks for. */
export const ACCOUNT = { clientId: 'client-7f3a', token: 'token-91c2-5d' };

export type RealN8n = Awaited<ReturnType<typeof startRealN8n>>;

/**
 * Starts a real n8n in an empty user folder, with the packed package installed and its owner logged in.
 *
 * @param before called before n8n starts, e.g. to import workflows
 */
export async function startRealN8n(
	options: N8nOptions = {},
	before: (home: N8nHome) => Promise<void> = async () => {},
) {
	const home = await createHome(await mkdtemp(join(tmpdir(), 'messaging-account-n8n-')));
	let n8n: RunningN8n | undefined;
	const stop = async () => {
		await n8n?.stop();
		await rm(home.userFolder, { recursive: true, force: true });
	};
	const start = async () => {
		n8n = await startN8n(home, randomPort(), options);
		return await logInAt(n8n);
	};
	try {
		await before(home);
		const real = {
			rest: await start(),
			/** Contains the database and logs. */
			userFolder: home.userFolder,
			/** Stops n8n, and removes its user folder. */
			stop,
			log: async () => await readFile(n8n!.logFile, 'utf8'),
			/** Stops n8n, and starts it again. */
			async restart(whileDown: () => void | Promise<void>) {
				await n8n!.stop();
				await whileDown();
				real.rest = await start();
			},
			/** Kills n8n, like a power failure, and starts it again with the same user folder. */
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

/** Creates a user folder with the packed package, for the n8n that install.ts, Jest's global setup, has installed. */
export async function createHome(userFolder: string): Promise<N8nHome> {
	const home = { bin: process.env.TEST_N8N_BIN!, userFolder };
	await prepareHome(home, process.env.TEST_NODES_FOLDER!);
	return home;
}

/** Logs n8n's owner in. */
export async function logInAt({ url }: RunningN8n): Promise<N8nRest> {
	const rest = new N8nRest(url);
	await rest.logIn();
	return rest;
}

/** Saves a credential, by default of the package's type. */
export async function saveCredential(
	rest: N8nRest,
	data: ICredentialDataDecryptedObject,
	type = 'messagingAccountApi',
) {
	const { id } = await rest.post<{ id: string }>('/rest/credentials', { name: type, type, data });
	return { [type]: { id, name: type } };
}

/** Starts a scripted server and a real n8n. @returns as `useN8nWith` */
export function useRealN8nWithServer(options?: N8nOptions) {
	const start = async () => await startRealN8n(options);
	const { service: server, ...more } = useN8nWith(startScriptedServer, start);
	return { server, ...more };
}

/** The same with the simulated service. If the option is on, n8n has the example workflows. */
export function useRealN8nWithService({
	examples,
	...options
}: N8nOptions & { examples?: boolean } = {}) {
	const start = async () => await startService(ACCOUNT);
	return useN8nWith(start, async (baseUrl) => {
		const importAll = async (home: N8nHome) => await importExamples(home, { baseUrl, ...ACCOUNT });
		return await startRealN8n(options, examples ? importAll : undefined);
	});
}

/**
 * Starts a service and an n8n for it before the tests of a file, and stops both after them.
 *
 * @returns always stand for those that run, and a credential for the service
 */
export function useN8nWith<
	S extends { url: string; close(): Promise<void> },
	N extends { rest: N8nRest; stop(): Promise<void> },
>(start: () => Promise<S>, startN8n: (baseUrl: string) => Promise<N>) {
	const current = { service: {} as S, n8n: {} as N };
	const credentials: NonNullable<INode['credentials']> = {};
	let service: S | undefined;
	let n8n: N | undefined;
	beforeAll(async () => {
		const { url: baseUrl } = (service = await start());
		n8n = await startN8n(baseUrl);
		Object.assign(credentials, await saveCredential(n8n.rest, { baseUrl, ...ACCOUNT }));
		// So that they have what these have at the time: after a restart, n8n has another address.
		Object.setPrototypeOf(current.service, service);
		Object.setPrototypeOf(current.n8n, n8n);
	});
	afterAll(async () => {
		await n8n?.stop();
		await service?.close();
	});
	return { ...current, credentials };
}

/** Saves a workflow with a manual trigger that has these items, the node, and a node after each of its two outputs. */
export async function saveWorkflow(
	rest: N8nRest,
	node: Partial<INode> & Pick<INode, 'parameters'>,
	items: IDataObject[],
): Promise<SavedWorkflow> {
	const noOp = { type: 'n8n-nodes-base.noOp', parameters: {} };
	return await rest.create({
		name: 'Test',
		settings: { executionOrder: 'v1' },
		pinData: { [MANUAL_TRIGGER]: items.map((json) => ({ json })) },
		nodes: [
			createNode(MANUAL_TRIGGER, { type: 'n8n-nodes-base.manualTrigger', parameters: {} }),
			createNode(NODE, { type: 'n8n-nodes-messaging-account.messagingAccount', ...node }),
			createNode('Success', noOp),
			createNode('Failure', noOp),
		],
		connections: {
			[MANUAL_TRIGGER]: { main: [connectTo(NODE)] },
			[NODE]: { main: [connectTo('Success'), connectTo('Failure')] },
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
