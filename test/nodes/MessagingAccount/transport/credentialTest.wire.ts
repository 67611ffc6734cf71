import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, INodeCredentialTestResult } from 'n8n-workflow';

import * as clock from '../../../../nodes/MessagingAccount/shared/sleep';
import { testCredential } from '../../../../nodes/MessagingAccount/transport/credentialTest';
import * as responseBody from '../../../../nodes/MessagingAccount/transport/responseBody';
import { startService } from '../../../../tools/embeddedService/service';
import { createAdditionalData, CREDENTIAL } from '../../../support/engine';
import { findFreePort } from '../../../support/ports';
import { startScriptedServer, useScriptedServer } from '../../../support/scriptedServer';
import { startTlsPeer } from '../../../support/tlsPeer';

const PASSED = { status: 'OK', message: 'The service accepts these credentials' };

const server = useScriptedServer();

afterEach(() => {
	jest.restoreAllMocks();
});

/** Tests a credential with n8n-core's own helpers. */
async function check(fields: IDataObject = {}): Promise<INodeCredentialTestResult> {
	const data = { baseUrl: server.url, ...CREDENTIAL, ...fields } as Record<string, string>;
	const context = new CredentialTestContext(createAdditionalData(CREDENTIAL));
	return await testCredential.call(context, { id: '1', name: 'x', type: 'x', data });
}

const failed = (message: string) => ({ status: 'Error', message });

test('makes one request for the status, with both headers', async () => {
	server.respondWith({ body: { is_connected: true } });
	expect(await check({ baseUrl: ` ${server.url}/v1/ ` })).toEqual(PASSED);
	expect(server.requests).toMatchObject([
		{
			method: 'GET',
			path: '/v1/status',
			headers: {
				accept: 'application/json',
				'client-id': CREDENTIAL.clientId,
				token: CREDENTIAL.token,
			},
			body: undefined,
		},
	]);
});

test('passes for a linked account, and for one that waits for its QR scan', async () => {
	const service = await startService(CREDENTIAL);
	expect(await check({ baseUrl: service.url })).toEqual(PASSED);
	service.account.scan(service.account.qrText);
	expect(await check({ baseUrl: service.url })).toEqual(PASSED);
	await service.close();
});

test.each([
	[{ clientId: 'whatsapp' }, 'Client ID'],
	[{ token: '2026' }, 'Token'],
])('accepts %j, and says that messages with this word are masked', async (fields, field) => {
	server.respondWith({ body: { is_connected: true } });
	const message = `${PASSED.message}. ${field} is a word or a short number: wherever it occurs in messages, *** replaces it.`;
	expect(await check(fields)).toEqual({ status: 'OK', message });
});

test.each([
	[
		{ baseUrl: 'messaging.example.com' },
		"'Base URL' in the credential is not a web address. Enter",
	],
	[{ baseUrl: '' }, "'Base URL' in the credential is not a web address. Enter"],
	[{ baseUrl: 'https://a.example.com?b' }, "'Base URL' in the credential contains more than"],
	[{ clientId: ' ' }, "'Client ID' in the credential is empty. Enter"],
	[{ token: 'Zq\nZqé' }, "'Token' in the credential contains characters that cannot be sent. Use"],
])('refuses %j without a request', async (fields, expected) => {
	const { status, message } = await check(fields);
	expect(status).toBe('Error');
	expect(message).toContain(expected);
	expect(message).not.toContain('Zq');
	expect(server.requests).toEqual([]);
});

const CHECK_CREDENTIAL = "Check 'Base URL', 'Client ID' and 'Token' in the credential.";

test.each([
	[
		401,
		"The service refused the credentials (HTTP 401). Check 'Client ID' and 'Token' in the credential.",
	],
	[
		404,
		"The service found nothing at this address (HTTP 404). Check 'Base URL' in the credential: enter the part before /v1.",
	],
	[400, `The service refused the request (HTTP 400). ${CHECK_CREDENTIAL}`],
	[405, `The service refused the request (HTTP 405). ${CHECK_CREDENTIAL}`],
	[429, 'Too many requests (HTTP 429). Wait before the next request.'],
	[503, 'The service did not respond as expected (HTTP 503). Check that the service is working.'],
])('says in our words what status %d means', async (status, message) => {
	server.respondWith({ status });
	expect(await check()).toEqual(failed(message));
});

test.each([301, 302, 303, 307, 308])(
	'sends nothing to the target of a redirect %d',
	async (status) => {
		const target = await startScriptedServer();
		server.respondWith({ status, headers: { location: `${target.url}/v1/status` } });
		const { message } = await check();
		await target.close();
		expect(message).toContain(`The service redirects to ${target.url}, and`);
		expect(target.requests).toEqual([]);
		expect(server.requests).toHaveLength(1);
	},
);

test.each([
	['a web page', '<!doctype html><html></html>', 'a web page'],
	['nothing', '', 'an empty response'],
	['null', null, 'null'],
	['a list', [], 'a list of 0 entries'],
	['another object', { id: 7 }, 'an object with the fields id'],
	['a text', '"connected"', 'the text “connected”'],
])('fails with the response: %s', async (_what, body, received) => {
	server.respondWith({ body });
	expect(await check()).toEqual(
		failed(
			`Unexpected response from the service. Expected a status, with is_connected or qr, but received ${received}. Check 'Base URL' in the credential, and that it leads to the service this node is made for.`,
		),
	);
});

test('fails with a success that reports that something went wrong, without advice to get the status', async () => {
	server.respondWith({ body: { success: false, message: 'No such client' } });
	const { message } = await check();
	expect(message).toContain(`The service says: “No such client”. ${CHECK_CREDENTIAL}`);
});

test('does not read a response that is too large', async () => {
	server.respondWith({ body: { is_connected: true, more: 'x'.repeat(1024 * 1024) } });
	expect((await check()).message).toContain('received more than 1 MB');
});

test.each([
	[200, { success: false, message: `Unknown: ${CREDENTIAL.token}, ${CREDENTIAL.clientId}` }],
	[422, { message: `Unknown: ${CREDENTIAL.token}, ${CREDENTIAL.clientId}` }],
	[401, `Unknown: ${CREDENTIAL.token}, ${CREDENTIAL.clientId}`],
])(
	'never shows what the service repeats of the credential, with status %d',
	async (status, body) => {
		server.respondWith({ status, body });
		const { message } = await check();
		expect(message).toContain('Unknown: ***, ***');
		expect(message).not.toContain(CREDENTIAL.token);
		expect(message).not.toContain(CREDENTIAL.clientId);
	},
);

describe('without a response', () => {
	const CHECK = "Check 'Base URL' in the credential, and that the service is running.";

	test('says that the connection was refused', async () => {
		const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
		expect(await check({ baseUrl })).toEqual(failed(`${baseUrl} refused the connection. ${CHECK}`));
	});

	test('says that the host is unknown', async () => {
		const baseUrl = 'http://nowhere.invalid';
		expect(await check({ baseUrl })).toEqual(
			failed(`The address ${baseUrl} was not found. ${CHECK}`),
		);
	});

	test('says that HTTPS is not accepted', async () => {
		const baseUrl = server.url.replace('http:', 'https:');
		expect(await check({ baseUrl })).toEqual(
			failed(
				`${baseUrl} does not accept HTTPS. Check whether 'Base URL' in the credential should start with http:// instead of https://.`,
			),
		);
	});

	test('says that the certificate is not trusted, and sends nothing', async () => {
		const peer = await startTlsPeer('TLSv1.3');
		const { message } = await check({ baseUrl: peer.url });
		await peer.close();
		expect(message).toContain(`n8n does not trust the certificate of ${peer.url}. The network`);
		expect(peer.received).toBe('');
	});

	test('says that the connection was lost, e.g. with HTTP where only HTTPS is spoken', async () => {
		const peer = await startTlsPeer('TLSv1.3');
		const baseUrl = peer.url.replace('https:', 'http:');
		const { message } = await check({ baseUrl });
		await peer.close();
		expect(message).toContain(`The connection to ${baseUrl} was lost`);
		expect(message).toContain(CHECK);
	});
});

describe('after 30 s', () => {
	const TIMED_OUT = failed(
		"The service did not respond within 30 s. Check that the service is working. If the node has the option 'Timeout', set a longer one.",
	);

	/** @returns lets the time pass */
	function holdTime(): () => void {
		let pass = () => {};
		jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
			expect(ms).toBe(30_000);
			await new Promise<void>((resolve) => {
				pass = resolve;
			});
		});
		return () => pass();
	}

	test('gives up waiting for a response, also where the timeout of the helper does not apply', async () => {
		const passTime = holdTime();
		const closed = jest.fn();
		server.respondWith((_response, socket) => {
			socket.once('close', closed);
			passTime();
		});
		expect(await check()).toEqual(TIMED_OUT);
		// The helper would have closed the connection, and the server would know by the time of a later request.
		server.respondWith({});
		await fetch(server.url);
		expect(closed).not.toHaveBeenCalled();
	});

	test('gives up reading a response, and closes the connection', async () => {
		const passTime = holdTime();
		const { readBody } = responseBody;
		jest.spyOn(responseBody, 'readBody').mockImplementation(async (...args) => {
			passTime();
			return await readBody(...args);
		});
		const closed = new Promise((resolve) => {
			server.respondWith((response, socket) => {
				socket.once('close', resolve);
				response.writeHead(200).write('{');
			});
		});
		expect(await check()).toEqual(TIMED_OUT);
		await closed;
	});

	test('closes a connection whose response comes too late', async () => {
		const passTime = holdTime();
		let respond = () => {};
		const closed = new Promise((resolve) => {
			server.respondWith((response, socket) => {
				socket.once('close', resolve);
				respond = () => void response.writeHead(200).write('{');
				passTime();
			});
		});
		expect(await check()).toEqual(TIMED_OUT);
		respond();
		await closed;
	});
});
