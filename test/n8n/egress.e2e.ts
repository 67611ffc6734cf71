import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { startForwardProxy } from '../support/forwardProxy';
import { IS_NIGHT, testAtNight } from '../support/testSize';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { CERTIFICATE, KEY } from '../support/tlsPeer';
import { jsonOf } from '../support/webhookWorkflow';
import { ACCOUNT, saveCredential, saveSends, startRealN8n, type RealN8n } from './realN8n';
import { testOnN8n2 } from './skipByVersion';

/** Of the proxy. */
const LOGIN = 'someone:91e4-b7c2';
const [, SECRET_PART] = LOGIN.split(':');

const TLS = { key: KEY, cert: CERTIFICATE };

/** What somebody sees who sends an image, and who tests the credential: `works`, or a message with its advice. */
const WORKS = { sendImage: 'works', credentialTest: 'works' };

/** What n8n then requests from a service that works. */
const REQUESTS = ['POST /v1/sendImage', 'GET /v1/status'];

const requestsOf = ({ requests }: ScriptedServer) =>
	requests.map(({ method, path }) => `${method} ${path}`);

async function use({ rest }: RealN8n, baseUrl: string): Promise<typeof WORKS> {
	const data = { baseUrl, ...ACCOUNT };
	const credentials = await saveCredential(rest, data);
	const onError = 'continueRegularOutput';
	const workflow = await saveSends(rest, [{ number: '49151' }], { credentials, onError });
	const [{ error }] = jsonOf(await rest.run(workflow, MANUAL_TRIGGER));
	const { message, description, delivery } = (error ?? {}) as Record<string, string>;
	const result = await rest.post<IDataObject>('/rest/credentials/test', {
		// n8n 1 only tests a saved one.
		credentials: { ...credentials.messagingAccountApi, type: 'messagingAccountApi', data },
	});
	return {
		sendImage: error ? `${message}. ${description} [${delivery}]` : 'works',
		credentialTest: result.status === 'OK' ? 'works' : (result.message as string),
	};
}

/** Starts a service that works. */
async function startWorkingServer(tls?: typeof TLS): Promise<ScriptedServer> {
	const server = await startScriptedServer({ tls });
	server.respondWith({ body: { id: 'm1', is_connected: true } });
	return server;
}

/** Runs an n8n with these environment variables. */
async function withN8n(env: Record<string, string>, work: (n8n: RealN8n) => Promise<void>) {
	const n8n = await startRealN8n({ env });
	// Texts of errors are stored and logged: the password of the proxy must not be in them.
	await work(n8n)
		.then(async () => expect(await n8n.log()).not.toContain(SECRET_PART))
		.finally(n8n.stop);
}

testAtNight('a proxy, and a private certificate in NODE_EXTRA_CA_CERTS', async () => {
	const folder = await mkdtemp(join(tmpdir(), 'messaging-account-authority-'));
	const authority = join(folder, 'authority.pem');
	await writeFile(authority, CERTIFICATE);
	const proxy = await startForwardProxy();
	const [direct, plain] = [await startWorkingServer(TLS), await startWorkingServer()];
	const secure = await startWorkingServer(TLS);
	const env = {
		HTTP_PROXY: `http://${LOGIN}@${proxy.host}`,
		HTTPS_PROXY: `http://${LOGIN}@${proxy.host}`,
		NO_PROXY: new URL(direct.url).host,
		NODE_EXTRA_CA_CERTS: authority,
	};
	await withN8n(env, async (n8n) => {
		const expected: Array<[ScriptedServer, proxied: string[]]> = [
			[direct, []],
			[plain, REQUESTS.map((request) => request.replace(' ', ` ${plain.url}`))],
			[secure, REQUESTS.map(() => `CONNECT ${new URL(secure.url).host}`)],
		];
		for (const [server, proxied] of expected) {
			proxy.requests.length = 0;
			expect(await use(n8n, server.url)).toEqual(WORKS);
			expect(requestsOf(server)).toEqual(REQUESTS);
			expect(proxy.requests).toEqual(proxied);
		}
	});
	for (const { close } of [direct, plain, secure, proxy]) await close();
	await rm(folder, { recursive: true });
});

(IS_NIGHT ? testOnN8n2 : test.skip)(
	'SSRF protection that allows a name: n8n sends to the name, and not to its address',
	async () => {
		const server = await startWorkingServer();
		const env = { N8N_SSRF_PROTECTION_ENABLED: 'true', N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost' };
		await withN8n(env, async (n8n) => {
			const baseUrl = server.url.replace('127.0.0.1', 'localhost');
			expect(await use(n8n, baseUrl)).toEqual(WORKS);
			expect(requestsOf(server)).toEqual(REQUESTS);

			const text = `n8n does not allow requests to ${server.url}. Its SSRF protection blocks this address. Ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES.`;
			expect(await use(n8n, server.url)).toEqual({
				sendImage: `${text} The image was not sent. [notSent]`,
				credentialTest: text,
			});
			expect(server.requests).toHaveLength(REQUESTS.length);
		});
		await server.close();
	},
);
