import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

import { CredentialTestContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { testCredential } from '../../../../nodes/MessagingAccount/transport/credentialTest';
import { createAdditionalData, CREDENTIAL, executeAt } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { findFreePort } from '../../../support/ports';
import { CONTINUE } from '../../../support/sends';
import { startScriptedServer } from '../../../support/scriptedServer';
import { startTlsPeer } from '../../../support/tlsPeer';

/** Of the proxy. */
const LOGIN = 'someone:91e4-b7c2';
const [, SECRET_PART] = LOGIN.split(':');
useNoJitter();

const useNoProxy = () => {
	for (const name of ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'])
		for (const variable of [name, name.toLowerCase()]) delete process.env[variable];
};
beforeEach(useNoProxy);
// Jest gives each test file its own copy of the environment, except in mutation tests.
afterEach(useNoProxy);

/** Starts a proxy that answers everything itself with this status. */
async function startProxy(status: number, body = '') {
	const requests: string[] = [];
	const server = createServer(({ method, url }, response) => {
		requests.push(`${method} ${url}`);
		response.writeHead(status).end(body);
	});
	server.on('connect', ({ url }, client) => {
		client.on('error', () => {});
		requests.push(`CONNECT ${url}`);
		client.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: 0\r\n\r\n`);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return { host, requests, close: () => server.close() };
}

/** Sends an image, through this proxy if there is one, and tests the credential. */
async function seenWith(proxy: string | undefined, baseUrl: string) {
	if (proxy) process.env[baseUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'] = proxy;
	const { json, stored } = await executeAt({ url: baseUrl }, { settings: CONTINUE })('sendImage');
	const { error = {}, id } = json[0] as Record<string, IDataObject>;
	const context = new CredentialTestContext(createAdditionalData(CREDENTIAL));
	const details = { id: '1', name: 'x', type: 'x', data: { baseUrl, ...CREDENTIAL } };
	const { message: tested } = await testCredential.call(context, details);
	expect(stored + tested).not.toContain(SECRET_PART);
	return { id, message: error.message, delivery: error.delivery, tested };
}

const seen = (message: string, delivery = 'notSent') => ({
	message,
	delivery,
	tested: expect.stringContaining(`${message}. `) as string,
});

const SERVICES = ['http://service.test', 'https://service.test'];

test.each(SERVICES)('a proxy of %s that is down sends nothing', async (baseUrl) => {
	const refused = await seenWith(`http://${LOGIN}@127.0.0.1:${await findFreePort()}`, baseUrl);
	expect(refused).toEqual(seen(`${baseUrl} refused the connection`));
	const unknown = await seenWith(`http://${LOGIN}@proxy.invalid`, baseUrl);
	expect(unknown).toEqual(seen(`The address ${baseUrl} was not found`));
	expect(refused.tested + unknown.tested).toMatch(/(If n8n uses a proxy, .*){2}/);
});

test('a proxy for http:// is used', async () => {
	const proxy = await startProxy(200, '{ "id": "m1", "is_connected": true }');
	const found = await seenWith(`http://${LOGIN}@${proxy.host}`, SERVICES[0]);
	expect(found).toEqual({ id: 'm1', tested: 'The service accepts these credentials' });
	proxy.close();
	const paths = ['POST http://service.test/v1/sendImage', 'GET http://service.test/v1/status'];
	expect(proxy.requests).toEqual(paths);
});

test('without TLS, or with a certificate that n8n does not trust, a proxy for http:// is named', async () => {
	const proxy = await startProxy(502);
	const peer = await startTlsPeer('TLSv1.3');
	for (const host of [proxy.host, new URL(peer.url).host]) {
		const found = await seenWith(`https://${LOGIN}@${host}`, 'http://service.test');
		expect(found).toEqual(seen('n8n has no HTTPS connection to its proxy'));
		expect(found.tested).toMatch(
			/administrator to check HTTP_PROXY and HTTPS_PROXY, .* NO_PROXY\./,
		);
	}
	proxy.close();
	await peer.close();
});

test.each([
	[407, "n8n's proxy requires a login (HTTP 407)", 'notSent'],
	[403, 'The service refused the credentials (HTTP 403)', 'notSent'],
	[502, 'A gateway in front of the service got no valid response from it (HTTP 502)', 'unknown'],
])('what a proxy answers itself is shown: %d', async (status, message, delivery) => {
	const proxy = await startProxy(status);
	for (const baseUrl of SERVICES) {
		const found = await seenWith(`http://${LOGIN}@${proxy.host}`, baseUrl);
		expect(found).toEqual(seen(message, delivery));
	}
	proxy.close();
	expect(proxy.requests).toEqual([
		'POST http://service.test/v1/sendImage',
		'GET http://service.test/v1/status',
		'CONNECT service.test:443',
		'CONNECT service.test:443',
	]);
});

const hasLoopback6 = Object.values(networkInterfaces()).some((addresses) =>
	addresses!.some(({ address }) => address === '::1'),
);

(hasLoopback6 ? test : test.skip)('a service at [::1] is reached', async () => {
	const server = await startScriptedServer('::1');
	server.respondWith({ body: { id: 'm1', is_connected: true } });
	expect(await seenWith(undefined, server.url)).toEqual({
		id: 'm1',
		tested: 'The service accepts these credentials',
	});
	await server.close();
	expect(server.requests).toHaveLength(2);
});
