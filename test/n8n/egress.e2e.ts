import { lookup } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf } from '../../tools/n8n/rest';
import { publishFileSends } from '../support/fileWorkflow';
import { startForwardProxy, type ForwardProxy } from '../support/forwardProxy';
import { describeAtNight } from '../support/night';
import { findFreePort } from '../support/ports';
import { AUTHORITY_CERTIFICATE, ISSUED } from '../support/privateAuthority';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { NODE } from '../support/webhookWorkflow';
import { createNode, publishWorkflow } from '../support/workflow';
import { saveCredential, saveSends, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIAL = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
/** Of the proxy. */
const LOGIN = 'someone:91e4-b7c2';
const [, SECRET_PART] = LOGIN.split(':');

/** What n8n requests from a service that works, sorted: a file is sent like an image, and the trigger lists messages too. */
const REQUESTS = [
	'GET /v1/messages',
	'GET /v1/messages',
	'GET /v1/status',
	'GET /v1/status',
	'POST /v1/sendImage',
	'POST /v1/sendImage',
];

/** What somebody sees of each use of the package: `works`, or a message with its advice and, of a send, its `delivery`. */
interface Seen {
	sendImage: string;
	sendFile: string;
	getStatus: string;
	getMessages: string;
	trigger: string;
	credentialTest: string;
}

const WORKS: Seen = {
	sendImage: 'works',
	sendFile: 'works',
	getStatus: 'works',
	getMessages: 'works',
	trigger: 'works',
	credentialTest: 'works',
};

/** Expects the same text everywhere, and that nothing was sent. Of a failed poll, n8n shows or logs the message alone. */
function notSent(message: string, advice: string): Seen {
	const text = `${message}. ${advice}`;
	return {
		sendImage: `${text} [notSent]`,
		sendFile: `${text} [notSent]`,
		getStatus: text,
		getMessages: text,
		trigger: expect.stringContaining(message) as string,
		credentialTest: text,
	};
}

/**
 * Uses the account at an address in every way that the package offers.
 *
 * @param message what the trigger is expected to report; omit if it should work
 */
async function useEverywhere(
	n8n: RealN8n,
	server: ScriptedServer,
	{ baseUrl = server.url, message }: { baseUrl?: string; message?: string } = {},
): Promise<Seen> {
	const credentials = await saveCredential(n8n.rest, { baseUrl, ...CREDENTIAL });
	// One after another, because n8n 1 cannot save several things at the same time in SQLite.
	return {
		sendImage: await runOperation(n8n, credentials, 'sendImage'),
		sendFile: await sendOneFile(n8n, credentials),
		getStatus: await runOperation(n8n, credentials, 'getStatus'),
		getMessages: await runOperation(n8n, credentials, 'getMessages'),
		trigger: await poll(n8n, credentials, server, message),
		credentialTest: await testCredential(n8n, credentials, baseUrl),
	};
}

/** Only sends an image and tests the credential. */
async function useBriefly(
	n8n: RealN8n,
	baseUrl: string,
): Promise<Pick<Seen, 'sendImage' | 'credentialTest'>> {
	const credentials = await saveCredential(n8n.rest, { baseUrl, ...CREDENTIAL });
	return {
		sendImage: await runOperation(n8n, credentials, 'sendImage'),
		credentialTest: await testCredential(n8n, credentials, baseUrl),
	};
}

const describeItem = ({ error }: IDataObject): string => {
	if (!error) return 'works';
	const { message, description, delivery } = error as Record<string, string>;
	const advice = description.replace(
		/ (Tried \d times|The image (was not|may have been) sent)\b.*/,
		'',
	);
	return `${message}. ${advice}${delivery ? ` [${delivery}]` : ''}`;
};

async function runOperation(
	n8n: RealN8n,
	credentials: INode['credentials'],
	operation: string,
): Promise<string> {
	const node = {
		credentials,
		onError: 'continueRegularOutput' as const,
		parameters: { operation },
	};
	const workflow = await saveSends(n8n.rest, [{ number: '49151' }], node);
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	// Get Messages of an empty list has no items.
	return describeItem(outputsOf(execution, NODE)[0][0]?.json ?? {});
}

async function sendOneFile(n8n: RealN8n, credentials: INode['credentials']): Promise<string> {
	const onError = 'continueRegularOutput' as const;
	const workflow = await publishFileSends(n8n, {}, { credentials, onError });
	await workflow.post([{ number: '49151', picture: samplePicture().toString('base64') }]);
	const [execution] = await workflow.waitForExecutions(1);
	return describeItem(outputsOf(execution, NODE)[0][0].json);
}

/** Next on New Year's Day: only the first poll is to count, which n8n makes when the workflow is published. */
const NO_FURTHER_POLLS = { item: [{ mode: 'custom', cronExpression: '0 0 0 1 1 *' }] };

/** Publishes a workflow with the trigger, and waits for its first poll. */
async function poll(
	n8n: RealN8n,
	credentials: INode['credentials'],
	server: ScriptedServer,
	message?: string,
): Promise<string> {
	const isList = ({ path }: { path: string }) => path === '/v1/messages';
	const lists = server.requests.filter(isList).length;
	const logged = (await n8n.log()).length;
	const trigger = createNode('Messaging Account Trigger', {
		type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
		parameters: { event: 'newMessage', options: {}, pollTimes: NO_FURTHER_POLLS },
		credentials,
	});
	const reported = await publishWorkflow(n8n.rest, 'Trigger', [trigger]).then(() => '', String);
	if (reported) return reported;
	if (message === undefined) {
		await waitUntil(
			'a poll',
			(saw) => saw(server.requests.filter(isList).length) > lists,
			N8N_LIMIT_MS,
		);
		return 'works';
	}
	// n8n 2.41 polls after it has responded, and reports the error in its log.
	const newLog = async () => (await n8n.log()).slice(logged);
	await waitUntil(
		`'${message}' in the log`,
		async (saw) => saw(await newLog()).includes(message),
		N8N_LIMIT_MS,
	);
	return await newLog();
}

async function testCredential(
	n8n: RealN8n,
	credentials: INode['credentials'],
	baseUrl: string,
): Promise<string> {
	const { status, message } = await n8n.rest.post<{ status: string; message: string }>(
		'/rest/credentials/test',
		{
			credentials: {
				// n8n 1 only tests a saved one.
				id: credentials!.messagingAccountApi.id,
				name: 'x',
				type: 'messagingAccountApi',
				data: { baseUrl, ...CREDENTIAL },
			},
		},
	);
	return status === 'OK' ? 'works' : message;
}

/** Starts a service that works. */
async function startWorkingServer(
	...options: Parameters<typeof startScriptedServer>
): Promise<ScriptedServer> {
	const server = await startScriptedServer(...options);
	server.onRequest(({ path }) => ({
		body: path === '/v1/messages' ? [] : { id: 'm1', is_connected: true },
	}));
	servers.push(server);
	return server;
}

const servers: ScriptedServer[] = [];

afterAll(async () => {
	for (const server of servers) await server.close();
});

/** Runs an n8n with these environment variables during the tests of a block. */
function useN8n(getEnv: () => Record<string, string> = () => ({})): { readonly current: RealN8n } {
	let n8n: RealN8n;
	beforeAll(async () => {
		// n8n 1 keeps files in memory unless it is told otherwise, and then has no links to them.
		n8n = await startRealN8n(undefined, {
			env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem', ...getEnv() },
		});
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

const requestsOf = ({ requests }: ScriptedServer) =>
	requests.map(({ method, path }) => `${method} ${path}`).sort();

const HAS_IPV6 = Object.values(networkInterfaces()).some((addresses) =>
	addresses?.some(({ address }) => address === '::1'),
);
/** Without IPv6, these tests are skipped: there is no ::1 to listen on. */
const testIpv6 = HAS_IPV6 ? test : test.skip;

const ADDRESSES = ['127.0.0.1', 'localhost', ...(HAS_IPV6 ? ['[::1]'] : [])];

/** Starts a service that works, and returns it with its address. */
async function startAt(address: string): Promise<{ server: ScriptedServer; baseUrl: string }> {
	const server = await startWorkingServer({ host: address === '[::1]' ? '::1' : '127.0.0.1' });
	return { server, baseUrl: server.url.replace('127.0.0.1', address) };
}

describeAtNight('an n8n as it is', () => {
	const n8n = useN8n();

	test('does not trust a certificate of a private authority', async () => {
		const server = await startWorkingServer({ tls: ISSUED });
		const message = `n8n does not trust the certificate of ${server.url}`;
		expect(await useEverywhere(n8n.current, server, { message })).toEqual(
			notSent(
				message,
				'The network reports: UNABLE_TO_VERIFY_LEAF_SIGNATURE. The service needs a certificate that is valid for this address, from an issuer that n8n trusts. Whoever runs n8n can add a private issuer with NODE_EXTRA_CA_CERTS.',
			),
		);
		expect(server.requests).toEqual([]);
	});

	testIpv6('uses a service that has only an IPv6 address', async () => {
		const { server } = await startAt('[::1]');
		expect(await useEverywhere(n8n.current, server)).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);

		server.respondWith({ status: 302, headers: { location: '/elsewhere' } });
		const redirected = await useBriefly(n8n.current, server.url);
		expect(redirected.credentialTest).toContain(`The service redirects to ${server.url}, and`);
		const gone = `http://[::1]:${await findFreePort()}`;
		expect(await useBriefly(n8n.current, gone)).toEqual({
			sendImage: `${gone} refused the connection. Check 'Base URL' in the credential, and that the service is running. [notSent]`,
			credentialTest: `${gone} refused the connection. Check 'Base URL' in the credential, and that the service is running.`,
		});
	});

	testIpv6('uses such a service by each name that this machine has for ::1', async () => {
		const { server } = await startAt('[::1]');
		const names: string[] = [];
		for (const name of ['localhost', 'ip6-localhost']) {
			const found = await lookup(name, { all: true }).catch(() => []);
			if (found.some(({ address }) => address === '::1')) names.push(name);
		}
		for (const name of names) {
			const baseUrl = server.url.replace('[::1]', name);
			expect(await useEverywhere(n8n.current, server, { baseUrl })).toEqual(WORKS);
		}
		expect(server.requests).toHaveLength(names.length * REQUESTS.length);
	});
});

describeAtNight('an n8n with a proxy, and a private authority in NODE_EXTRA_CA_CERTS', () => {
	let proxy: ForwardProxy;
	let folder: string;
	let direct: ScriptedServer;

	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'messaging-account-authority-'));
		await writeFile(join(folder, 'authority.pem'), AUTHORITY_CERTIFICATE);
		proxy = await startForwardProxy();
		direct = await startWorkingServer({ tls: ISSUED });
	});

	const n8n = useN8n(() => ({
		HTTP_PROXY: `http://${LOGIN}@${proxy.host}`,
		HTTPS_PROXY: `http://${LOGIN}@${proxy.host}`,
		NO_PROXY: new URL(direct.url).host,
		NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
	}));

	beforeEach(() => {
		proxy.requests.length = 0;
		proxy.refuseWith(undefined);
	});

	afterAll(async () => {
		await proxy?.close();
		await rm(folder, { recursive: true });
	});

	test('does not use it for a service in NO_PROXY, and trusts the authority', async () => {
		expect(await useEverywhere(n8n.current, direct)).toEqual(WORKS);
		expect(requestsOf(direct)).toEqual(REQUESTS);
		expect(proxy.requests).toEqual([]);
	});

	test('uses it for http://', async () => {
		const server = await startWorkingServer();
		expect(await useEverywhere(n8n.current, server)).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
		expect(proxy.requests.sort()).toEqual(
			REQUESTS.map((request) => request.replace(' ', ` ${server.url}`)),
		);
	});

	test('uses it for https://, as a tunnel', async () => {
		const server = await startWorkingServer({ tls: ISSUED });
		expect(await useEverywhere(n8n.current, server)).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
		expect(proxy.requests).toEqual(REQUESTS.map(() => `CONNECT ${new URL(server.url).host}`));
	});

	test.each([
		[
			407,
			"n8n's proxy requires a login (HTTP 407). Ask whoever runs n8n to add a user name and a password to the address in HTTP_PROXY or HTTPS_PROXY.",
			'notSent',
		],
		[
			403,
			"The service refused the credentials (HTTP 403). Check 'Client ID' and 'Token' in the credential. If n8n uses a proxy, it may be the proxy that refuses this address.",
			'notSent',
		],
		[
			502,
			'The service did not respond as expected (HTTP 502). Check that the service is working.',
			'unknown',
		],
	])('shows what it answers itself: %d', async (status, text, delivery) => {
		proxy.refuseWith(status);
		for (const options of [{}, { tls: ISSUED }]) {
			const server = await startWorkingServer(options);
			expect(await useBriefly(n8n.current, server.url)).toEqual({
				sendImage: `${text} [${delivery}]`,
				credentialTest: text,
			});
			expect(server.requests).toEqual([]);
		}
		expect(proxy.requests).toHaveLength(4);
	});
});

describeAtNight('an n8n with proxies that it cannot reach', () => {
	const advice =
		'Ask whoever runs n8n to check HTTP_PROXY and HTTPS_PROXY, or to add the service to NO_PROXY.';
	let host: string;

	beforeAll(async () => {
		host = `127.0.0.1:${await findFreePort()}`;
	});

	const n8n = useN8n(() => ({
		HTTP_PROXY: `http://${LOGIN}@${host}`,
		HTTPS_PROXY: `http://${LOGIN}@proxy.invalid:3128`,
	}));

	test('says that the proxy refuses the connection, or was not found', async () => {
		const refused = `n8n's proxy ${host} refused the connection`;
		const notFound = "The address of n8n's proxy, proxy.invalid, was not found";
		const server = await startWorkingServer();
		const tlsServer = await startWorkingServer({ tls: ISSUED });
		expect(await useEverywhere(n8n.current, server, { message: refused })).toEqual(
			notSent(refused, advice),
		);
		expect(await useEverywhere(n8n.current, tlsServer, { message: notFound })).toEqual(
			notSent(notFound, advice),
		);
		expect([...server.requests, ...tlsServer.requests]).toEqual([]);
	});
});

/** n8n 1 has no SSRF protection. */
const describeProtection = process.env.TEST_N8N_VERSION?.startsWith('1.')
	? describe.skip
	: describeAtNight;

describeProtection('an n8n with SSRF protection', () => {
	const n8n = useN8n(() => ({ N8N_SSRF_PROTECTION_ENABLED: 'true' }));

	const advice =
		'Its SSRF protection blocks this address. Ask whoever runs n8n to allow it in N8N_SSRF_ALLOWED_IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES.';

	test('sends nothing to an internal address, and says what to ask for', async () => {
		const server = await startWorkingServer();
		const message = `n8n does not allow requests to ${server.url}`;
		expect(await useEverywhere(n8n.current, server, { message })).toEqual(notSent(message, advice));
		expect(server.requests).toEqual([]);
	});

	test.each(ADDRESSES.slice(1))('nor to %s', async (address) => {
		const { server, baseUrl } = await startAt(address);
		const text = `n8n does not allow requests to ${baseUrl}. ${advice}`;
		expect(await useBriefly(n8n.current, baseUrl)).toEqual({
			sendImage: `${text} [notSent]`,
			credentialTest: text,
		});
		expect(server.requests).toEqual([]);
	});
});

describeProtection('an n8n with SSRF protection that allows the addresses of this machine', () => {
	const n8n = useN8n(() => ({
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32,::1/128',
	}));

	test.each(ADDRESSES)('uses %s', async (address) => {
		const { server, baseUrl } = await startAt(address);
		expect(await useEverywhere(n8n.current, server, { baseUrl })).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
	});
});

describeProtection('an n8n with SSRF protection that allows a name', () => {
	const n8n = useN8n(() => ({
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
	}));

	test('uses that name, and not its address', async () => {
		const { server, baseUrl } = await startAt('localhost');
		expect(await useEverywhere(n8n.current, server, { baseUrl })).toEqual(WORKS);
		expect(requestsOf(server)).toEqual(REQUESTS);
		const { credentialTest } = await useBriefly(n8n.current, server.url);
		expect(credentialTest).toContain(`n8n does not allow requests to ${server.url}`);
	});
});
