import { CredentialTestContext } from 'n8n-core';
import type { IDataObject } from 'n8n-workflow';

import { testCredential } from '../../../../nodes/MessagingAccount/transport/credentialTest';
import { createAdditionalData, CREDENTIAL, runNode } from '../../../support/engine';
import { startForwardProxy } from '../../../support/forwardProxy';
import { useNoJitter } from '../../../support/noJitter';
import { findFreePort } from '../../../support/ports';
import { startTlsPeer } from '../../../support/tlsPeer';

/** Of the proxy. */
const LOGIN = 'someone:91e4-b7c2';
const [, SECRET_PART] = LOGIN.split(':');
const VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [
	name,
	name.toLowerCase(),
]);

useNoJitter();

const useNoProxy = () => {
	for (const name of VARIABLES) delete process.env[name];
};
beforeEach(useNoProxy);
// Jest gives each test file its own copy of the environment, except in mutation tests.
afterEach(useNoProxy);

/** Sends an image with this proxy, and tests the credential. */
async function seenWith(proxy: string, baseUrl: string) {
	process.env[baseUrl.startsWith('https:') ? 'HTTPS_PROXY' : 'HTTP_PROXY'] = proxy;
	const credential = { baseUrl, ...CREDENTIAL };
	const { outputs, stored } = await runNode({
		parameters: { operation: 'sendImage', number: '49151', url: 'https://example.com/a.png' },
		settings: { onError: 'continueRegularOutput' },
		credential,
	});
	const { message, delivery } = outputs[0][0].json.error as IDataObject;
	const context = new CredentialTestContext(createAdditionalData(CREDENTIAL));
	const tested = await testCredential.call(context, {
		id: '1',
		name: 'x',
		type: 'x',
		data: credential,
	});
	expect(stored + tested.message).not.toContain(SECRET_PART);
	return { message, delivery, tested: tested.message };
}

const seen = (message: string) => ({
	message,
	delivery: 'notSent',
	tested: expect.stringContaining(`${message}. `) as string,
});

test.each(['http://service.test', 'https://service.test', 'http://[::1]'])(
	'a proxy for %s that cannot be reached is named, without its password',
	async (baseUrl) => {
		const host = `127.0.0.1:${await findFreePort()}`;
		expect(await seenWith(`http://${LOGIN}@${host}`, baseUrl)).toEqual(
			seen(`n8n's proxy ${host} refused the connection`),
		);
		expect(await seenWith(`http://${LOGIN}@proxy.invalid`, baseUrl)).toEqual(
			seen("The address of n8n's proxy, proxy.invalid, was not found"),
		);
	},
);

test('without TLS, or with a certificate that n8n does not trust, a proxy for http:// is named', async () => {
	const proxy = await startForwardProxy();
	const peer = await startTlsPeer('TLSv1.3');
	for (const host of [proxy.host, new URL(peer.url).host]) {
		expect(await seenWith(`https://${LOGIN}@${host}`, 'http://service.test')).toEqual(
			seen('n8n has no HTTPS connection to its proxy'),
		);
	}
	await proxy.close();
	await peer.close();
});
