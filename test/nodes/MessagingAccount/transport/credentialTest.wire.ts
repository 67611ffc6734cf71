import type { ServerResponse } from 'node:http';

import { CredentialTestContext } from 'n8n-core';
import type { IDataObject, INodeCredentialTestResult } from 'n8n-workflow';

import * as clock from '../../../../nodes/MessagingAccount/n8n/sleep';
import { testCredential } from '../../../../nodes/MessagingAccount/transport/credentialTest';
import * as responseBody from '../../../../nodes/MessagingAccount/transport/responseBody';
import { createAdditionalData, CREDENTIAL } from '../../../support/engine';
import { startScriptedServer, useScriptedServer } from '../../../support/scriptedServer';

const PASSED = { status: 'OK', message: 'The service accepts these credentials' };

const server = useScriptedServer();

/** Tests a credential with n8n-core's own helpers. */
async function check(fields: IDataObject = {}): Promise<INodeCredentialTestResult> {
	const data = { baseUrl: server.url, ...CREDENTIAL, ...fields } as Record<string, string>;
	const context = new CredentialTestContext(createAdditionalData(CREDENTIAL));
	return await testCredential.call(context, { id: '1', name: 'x', type: 'x', data });
}

const failed = (message: string) => ({ status: 'Error', message });

test('makes one request for the status, with both headers, and accepts an account that waits for its QR scan', async () => {
	server.respondWith({ body: { qr: 'data:image/png;base64,iVBORw0KGgo=' } });
	expect(await check({ baseUrl: ` ${server.url}/v1/ ` })).toEqual(PASSED);
	const { clientId, token } = CREDENTIAL;
	const headers = { accept: 'application/json', 'client-id': clientId, token };
	const request = { method: 'GET', path: '/v1/status', headers, body: undefined };
	expect(server.requests).toMatchObject([request]);
});

test('refuses a token that cannot be sent, without a request', async () => {
	const { status, message } = await check({ token: 'Zq\nZqé' });
	expect(status).toBe('Error');
	expect(message).toContain("'Token' in the credential contains characters that cannot be sent. ");
	expect(message).not.toContain('Zq');
	expect(server.requests).toEqual([]);
});

test.each([302, 307])('sends nothing to the target of a redirect %d', async (status) => {
	const target = await startScriptedServer();
	server.respondWith({ status, headers: { location: `${target.url}/v1/status` } });
	const { message } = await check();
	await target.close();
	expect(message).toContain(`The service redirects to ${target.url}, and`);
	expect(target.requests).toEqual([]);
	expect(server.requests).toHaveLength(1);
});

const CHECK_TOKEN = "Check 'Client ID' and 'Token' in the credential.";
const REFUSED = `(HTTP 401). The service refused the request and gave this reason. ${CHECK_TOKEN}`;
const NO_REASON =
	"The service refused the request (HTTP 400). Check 'Base URL', 'Client ID' and 'Token' in the credential.";
const NO_STATUS =
	"Unexpected response from the service. Expected a status, with is_connected or qr, but received a web page. Check 'Base URL' in the credential. If it is right, ask the service's operator: the response is not what these nodes need.";

test.each([
	[NO_REASON, 400, ''],
	[`Unknown: ***, *** ${REFUSED}`, 401, `Unknown: ${CREDENTIAL.token}, ${CREDENTIAL.clientId}`],
	[`Unknown ‹header> &\u2060amp; ${REFUSED}`, 401, { message: 'Unknown <header> &amp;' }],
	[NO_STATUS, 200, '<!doctype html><html></html>'],
])('shows nothing of the credential, and says: %s', async (message, status, body) => {
	server.respondWith({ status, body });
	expect(await check()).toEqual(failed(message));
});

describe('after 30 s', () => {
	const TIMED_OUT = failed(
		"The service did not respond within 30 s. Check that the service is working. If the node has the option 'Timeout (Milliseconds)', set a longer one.",
	);

	/** @returns lets the time pass */
	function holdTime(): () => void {
		let pass = () => {};
		jest.spyOn(clock, 'sleep').mockImplementation(async (ms) => {
			expect(ms).toBe(30_000);
			await new Promise<void>((resolve) => (pass = resolve));
		});
		return () => pass();
	}

	/** @returns when the connection of the next request is closed */
	async function whenClosed(respond: (response: ServerResponse) => void) {
		await new Promise((resolve) => {
			server.respondWith((response, socket) => {
				socket.once('close', resolve);
				respond(response);
			});
		});
	}

	test('gives up reading a response, and closes the connection', async () => {
		const passTime = holdTime();
		const { readBody } = responseBody;
		jest.spyOn(responseBody, 'readBody').mockImplementation(async (...args) => {
			passTime();
			return await readBody(...args);
		});
		const closed = whenClosed((response) => response.writeHead(200).write('{'));
		expect(await check()).toEqual(TIMED_OUT);
		await closed;
	});

	test('closes a connection whose response comes too late', async () => {
		const passTime = holdTime();
		let respond = () => {};
		const closed = whenClosed((response) => {
			respond = () => void response.writeHead(200).write('{');
			passTime();
		});
		expect(await check()).toEqual(TIMED_OUT);
		respond();
		await closed;
	});
});
