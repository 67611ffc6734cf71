/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests install packages */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import manifest from '../../package.json';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { npmInstall } from '../../tools/n8n/install';
import { outputsOf } from '../../tools/n8n/rest';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { waitUntil } from '../support/waitUntil';
import { createNode, POLL_TIMES, publishWorkflow } from '../support/workflow';
import { EARLIER_VERSIONS, getArchiveFolder } from '../upgrades/saved';
import { saveCredential, saveSends, fromGlobalSetup, startRealN8n, type RealN8n } from './realN8n';

/** Only a safeguard, for tests that wait for several polls and restarts of n8n. */
const TIMEOUT_MS = 600_000;

const TRIGGER = 'Messaging Account Trigger';
const PACKAGE = 'n8n-nodes-messaging-account';

let folder: string;
let server: ScriptedServer;
let n8n: RealN8n | undefined;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-nodes-'));
	await writeFile(join(folder, 'package.json'), '{ "name": "installed-nodes", "private": true }');
	server = await startScriptedServer();
});

afterEach(async () => {
	await n8n?.stop();
	n8n = undefined;
	await server.close();
	await rm(folder, { recursive: true });
});

const getInstalledVersion = async () => {
	const text = await readFile(join(folder, 'node_modules', PACKAGE, 'package.json'), 'utf8');
	return (JSON.parse(text) as { version: string }).version;
};

test.each(EARLIER_VERSIONS)(
	'a trigger and a failed execution of %s continue after an upgrade to this version',
	async (version) => {
		await npmInstall(join(getArchiveFolder(version), 'package.tgz'), folder);
		expect(await getInstalledVersion()).toBe(version);
		const listed = [{ id: 'before it was published' }];
		let refusedNumber = '49152';
		server.onRequest(({ path, body }) => {
			if (path === '/v1/messages') return { body: listed };
			const { number } = body as { number: string };
			return number === refusedNumber ? { status: 422 } : { body: { id: `m${number}` } };
		});
		const running = (n8n = await startRealN8n(undefined, undefined, folder));
		const account = { baseUrl: server.url, clientId: 'client-7f3a', token: 'token-91c2-5d' };
		const credentials = await saveCredential(running.rest, account);

		const messages = await publishWorkflow(running.rest, 'Messages', [
			createNode(TRIGGER, {
				type: `${PACKAGE}.messagingAccountTrigger`,
				parameters: { event: 'newMessage', pollTimes: POLL_TIMES },
				credentials,
			}),
		]);
		const emitted = async () =>
			(await running.rest.executions(messages)).flatMap((execution) =>
				outputsOf(execution, TRIGGER).flatMap((items) => items.map(({ json }) => json.id)),
			);
		await waitUntil(() => server.requests.length > 0);
		listed.push({ id: 'with the earlier version' });
		const items = ['49151', '49152', '49153'].map((number) => ({ number }));
		const sends = await saveSends(running.rest, items, { credentials });
		const failed = await running.rest.run(sends, MANUAL_TRIGGER);
		expect(failed.status).toBe('error');
		await waitUntil(async () => (await emitted()).length > 0);

		await running.restart(async () => {
			await npmInstall(fromGlobalSetup('TEST_TARBALL'), folder);
			listed.push({ id: 'while it was installed' });
		});
		expect(await getInstalledVersion()).toBe(manifest.version);
		refusedNumber = '';
		const retried = await running.rest.retry(failed, 'original');
		expect(outputsOf(retried, 'Messaging Account')[0].map(({ json }) => json.id)).toEqual([
			'm49151',
			'm49152',
			'm49153',
		]);
		const sent = server.requests.filter(({ path }) => path === '/v1/sendImage');
		expect(sent.map(({ body }) => (body as IDataObject).number)).toEqual([
			'49151',
			'49152',
			'49152',
			'49153',
		]);
		await waitUntil(async () => (await emitted()).length > 1);
		listed.push({ id: 'with this version' });
		await waitUntil(async () => (await emitted()).length > 2);
		expect(await emitted()).toEqual([
			'with the earlier version',
			'while it was installed',
			'with this version',
		]);
	},
	TIMEOUT_MS,
);
