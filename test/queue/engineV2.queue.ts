import type { INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { saveCredential, saveSends, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { findFreePort } from '../support/ports';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { numberOf } from '../support/sendService';
import { startDatabases, type Databases } from './databases';

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

test("in n8n's new engine, sends go out", async () => {
	server.onRequest(() => ({ body: { id: 'm' } }));
	const rows = ['49151000000', '49151000001'].map((number) => ({ number }));
	const workflow = await saveSends(n8n.rest, rows, { credentials });
	await n8n.rest.save({ ...workflow, settings: { engineType: 'v2' } } as typeof workflow);
	const id = await n8n.rest.start(workflow, MANUAL_TRIGGER);
	console.log(id);
	const execution = await n8n.rest.waitForExecution(id);
	console.log(JSON.stringify(execution).slice(0, 3000));
	expect(server.requests.map(numberOf)).toEqual(['49151000000', '49151000001']);
	expect(execution.status).toBe('success');
});
