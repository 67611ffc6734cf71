import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { startForwardProxy, type ForwardProxy } from '../support/forwardProxy';
import { describeAtNight } from '../support/testSize';
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
		credentials: { ...credentials!.messagingAccountApi, type: 'messagingAccountApi', data },
	});
	return {
		sendImage: error ? `${message}. ${description} [${delivery}]` : 'works',
		credentialTest: result.status === 'OK' ? 'works' : (result.message as string),
	};
}

const servers: ScriptedServer[] = [];

/** Starts a service that works. */
async function startWorkingServer(tls?: typeof TLS): Promise<ScriptedServer> {
	const server = await startScriptedServer({ tls });
	server.respondWith({ body: { id: 'm1', is_connected: true } });
	servers.push(server);
	return server;
}

afterAll(async () => {
	for (const server of servers) await server.close();
});

/** Runs an n8n with these environment variables during the tests of a block. */
function useN8n(getEnv: () => Record<string, string>): { readonly current: RealN8n } {
	let n8n: RealN8n;
	beforeAll(async () => {
		n8n = await startRealN8n(undefined, { env: getEnv() });
	});
	afterAll(async () => {
		// Texts of errors are stored and logged: the password of the proxy must not be in them.
		const log = await n8n?.log();
		await n8n?.stop();
		expect(log).not.toContain(SECRET_PART);
	});
	return {
		get current() {
			return n8n;
		},
	};
}

describeAtNight('an n8n with a proxy, and a private certificate in NODE_EXTRA_CA_CERTS', () => {
	let proxy: ForwardProxy;
	let folder: string;
	let direct: ScriptedServer;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'messaging-account-authority-'));
		await writeFile(join(folder, 'authority.pem'), CERTIFICATE);
		proxy = await startForwardProxy();
		direct = await startWorkingServer(TLS);
	});

	const n8n = useN8n(() => ({
		HTTP_PROXY: `http://${LOGIN}@${proxy.host}`,
		HTTPS_PROXY: `http://${LOGIN}@${proxy.host}`,
		NO_PROXY: new URL(direct.url).host,
		NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
	}));

	afterAll(async () => {
		await proxy?.close();
		await rm(folder, { recursive: true });
	});

	test.each([
		['does not use it for a service in NO_PROXY', () => direct, () => []],
		[
			'uses it for http://',
			async () => await startWorkingServer(),
			(url: string) => REQUESTS.map((request) => request.replace(' ', ` ${url}`)),
		],
		[
			'uses it for https://, as a tunnel',
			async () => await startWorkingServer(TLS),
			(url: string) => REQUESTS.map(() => `CONNECT ${new URL(url).host}`),
		],
	])('%s', async (_title, start, expected) => {
		proxy.requests.length = 0;
		const server = await start();
		expect(await use(n8n.current, server.url)).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
		expect(proxy.requests).toEqual(expected(server.url));
	});
});

describeAtNight('an n8n with SSRF protection that allows a name', () => {
	const n8n = useN8n(() => ({
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
	}));

	testOnN8n2('uses that name', async () => {
		const server = await startWorkingServer();
		const baseUrl = server.url.replace('127.0.0.1', 'localhost');
		expect(await use(n8n.current, baseUrl)).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
	});

	testOnN8n2('sends nothing to its address, and says what to ask for', async () => {
		const server = await startWorkingServer();
		const text = `n8n does not allow requests to ${server.url}. Its SSRF protection blocks this address. Ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES.`;
		expect(await use(n8n.current, server.url)).toEqual({
			sendImage: `${text} The image was not sent. [notSent]`,
			credentialTest: text,
		});
		expect(server.requests).toEqual([]);
	});
});
