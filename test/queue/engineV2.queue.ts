import type { INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf, type Execution, type SavedWorkflow } from '../../tools/n8n/rest';
import { addLoop, saveCredential, saveSends, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { findFreePort } from '../support/ports';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { numberOf } from '../support/sendService';
import { startDatabases, type Databases } from './databases';

// n8n's new engine, which is off by default and keeps its executions in PostgreSQL. docs/compatibility.md says what works there.

const NUMBERS = ['49151000000', '49151000001', '49151000002'];

let databases: Databases;
let server: ScriptedServer;
let n8n: RealN8n;
let credentials: INode['credentials'];

beforeAll(async () => {
	databases = await startDatabases();
	server = await startScriptedServer();
	const env = {
		N8N_ENABLED_MODULES: 'engine-v2',
		N8N_ENGINE_DATABASE_URL: databases.postgresUrl,
		N8N_ENGINE_PORT: String(await findFreePort()),
		N8N_ENGINE_CONTROL_PLANE_PORT: String(await findFreePort()),
		N8N_EXPRESSION_ENGINE: 'vm',
	};
	n8n = await startRealN8n(undefined, { env });
	const data = { baseUrl: server.url, clientId: 'client-7f3a', token: 'token-91c2-5d' };
	credentials = await saveCredential(n8n.rest, data);
});

afterAll(async () => {
	await n8n?.stop();
	await server?.close();
	await databases?.stop();
});

beforeEach(() => {
	server.requests.length = 0;
	server.respondWith({ body: { id: 'm1' } });
});

/** @returns what executes a workflow that sends to the numbers, in the new engine */
async function createSends(
	numbers: string[],
	node: Partial<INode>,
	change: (workflow: SavedWorkflow) => void = () => {},
): Promise<() => Promise<Execution>> {
	const rows = numbers.map((number) => ({ number }));
	const workflow = await saveSends(n8n.rest, rows, { credentials, ...node });
	change(workflow);
	await n8n.rest.save(Object.assign(workflow, { settings: { engineType: 'v2' } }));
	return async () => await n8n.rest.run(workflow, MANUAL_TRIGGER);
}

const resultsOf = (execution: Execution) =>
	outputsOf(execution, 'Success')[0].map(({ json }) => json);

test('sends go out, with Send Once per ID once', async () => {
	const execute = await createSends(NUMBERS, {
		parameters: { options: { sendOnceId: '={{ $json.number }}' } },
	});
	const first = await execute();
	// A UUID: this is the new engine.
	expect(first.id).toContain('-');
	expect(resultsOf(first)).toEqual(NUMBERS.map(() => ({ id: 'm1' })));
	expect(server.requests.map(numberOf)).toEqual(NUMBERS);

	const second = await execute();
	expect(second.id).not.toBe(first.id);
	expect(resultsOf(second)).toEqual(NUMBERS.map((sendOnceId) => ({ skipped: true, sendOnceId })));
	expect(server.requests).toHaveLength(NUMBERS.length);
});

test('in a loop, somebody gets an image in each round', async () => {
	const numbers = [NUMBERS[0], NUMBERS[0], NUMBERS[1]];
	const execute = await createSends(numbers, {}, (workflow) => addLoop(workflow, 1));
	const execution = await execute();
	expect(server.requests.map(numberOf)).toEqual(numbers);
	expect(resultsOf(execution)).toEqual(numbers.map(() => ({ id: 'm1' })));
});

test('what failed is not sent again: n8n repeats nothing there', async () => {
	server.onRequest((request) =>
		numberOf(request) === NUMBERS[1] ? { status: 500 } : { body: { id: 'm1' } },
	);
	const execute = await createSends(NUMBERS, {
		retryOnFail: true,
		maxTries: 2,
		waitBetweenTries: 1,
	});
	const execution = await execute();
	expect(execution.status).toBe('error');
	await expect(n8n.rest.retry(execution, 'original')).rejects.toThrow('responded with 500');
	expect(server.requests.map(numberOf)).toEqual(NUMBERS.slice(0, 2));
});
