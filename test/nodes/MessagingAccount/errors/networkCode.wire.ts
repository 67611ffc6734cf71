import { getCACertificates, setDefaultCACertificates, type SecureVersion } from 'node:tls';

import { IS_OTHER_VERSION } from '../../../support/testSize';
import { CREDENTIAL, runNode } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { CERTIFICATE, startTlsPeer, type Moment, type TlsPeer } from '../../../support/tlsPeer';

useNoJitter();
const trusted = getCACertificates();
let peer: TlsPeer;

beforeEach(() => setDefaultCACertificates([...trusted, CERTIFICATE]));
afterEach(async () => {
	setDefaultCACertificates(trusted);
	await peer.close();
});

async function execute(operation: string) {
	const { outputs } = await runNode({
		parameters: { operation, number: '49151', url: 'https://example.com/a.png' },
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: peer.url, ...CREDENTIAL },
	});
	return outputs[0][0].json.error;
}

describe('plain text from a TLS peer', () => {
	const NOT_TLS = 'does not accept HTTPS';
	const LOST = 'was lost before the service responded';

	test.each<[SecureVersion, Moment, message: string, delivery: string, reads: number]>([
		['TLSv1.2', 'instead of the handshake', NOT_TLS, 'notSent', 1],
		['TLSv1.3', 'instead of the handshake', NOT_TLS, 'notSent', 1],
		['TLSv1.2', 'with its end', LOST, 'unknown', 3],
		['TLSv1.2', 'after the request', LOST, 'unknown', 3],
		['TLSv1.3', 'after the request', LOST, 'unknown', 3],
	])('%s, %s: %s, and a send is %s', async (version, moment, message, delivery, reads) => {
		peer = await startTlsPeer(version, moment);
		expect(await execute('sendImage')).toMatchObject({
			message: expect.stringContaining(message) as string,
			delivery,
		});
		expect(peer.connections).toBe(1);
		if (delivery === 'notSent') expect(peer.received).toBe('');
		if (moment === 'after the request') expect(peer.received).toContain('"number":"49151"');
		await peer.close();

		peer = await startTlsPeer(version, moment);
		await execute('getStatus');
		expect(peer.connections).toBe(reads);
	});
});

describe('a TLS handshake that fails', () => {
	const HALF = 'closed the connection before it was encrypted';
	const NOT_COMMON = 'found no common TLS version or cipher';
	const WEAK = { ciphers: 'DEFAULT@SECLEVEL=0' };
	const OTHER_CIPHER = { ciphers: 'ECDHE-RSA-AES128-SHA' };
	const WANTS = { requestCert: true, rejectUnauthorized: true };

	test.each<[SecureVersion, string, object, message: string]>([
		['TLSv1.1', 'alone', WEAK, NOT_COMMON],
		['TLSv1', 'alone', WEAK, NOT_COMMON],
		['TLSv1.2', 'with a cipher that does not fit the certificate', OTHER_CIPHER, NOT_COMMON],
		['TLSv1.2', 'with a client certificate', WANTS, NOT_COMMON],
		['TLSv1.3', 'with a client certificate', WANTS, 'wants a client certificate'],
	])('%s, %s: nothing of the request arrives', async (version, _how, options, message) => {
		peer = await startTlsPeer(version, undefined, options);
		for (const operation of ['sendImage', 'getStatus']) {
			const error = (await execute(operation)) as { message: string; delivery?: string };
			expect(error.message).toContain(message);
			if (operation === 'sendImage') expect(error.delivery).toBe('notSent');
			expect(JSON.stringify(error)).not.toMatch(/EPROTO|ECONN|ERR_|SSL/);
		}
		expect(peer.received).toBe('');
		expect(peer.connections).toBe(2);
	});

	const CLOSED: Array<[SecureVersion, Moment, message: string, delivery: string]> = [
		['TLSv1.2', 'instead of the handshake', HALF, 'notSent'],
		['TLSv1.3', 'instead of the handshake', HALF, 'notSent'],
	];
	test.each<(typeof CLOSED)[number]>([
		// Older versions of n8n do not pass on what Node.js says of it.
		...(IS_OTHER_VERSION ? [] : CLOSED),
		['TLSv1.2', 'with its end', 'was lost', 'unknown'],
		['TLSv1.3', 'with its end', 'was lost', 'unknown'],
		['TLSv1.2', 'after the request', 'was lost', 'unknown'],
		['TLSv1.3', 'after the request', 'was lost', 'unknown'],
	])('%s, the service closes %s: a send is %s', async (version, moment, message, delivery) => {
		peer = await startTlsPeer(version, moment, { closes: true });
		expect(await execute('sendImage')).toMatchObject({
			message: expect.stringContaining(message) as string,
			delivery,
		});
		if (delivery === 'notSent') expect(peer.received).toBe('');
		expect(peer.connections).toBe(delivery === 'notSent' ? 3 : 1);
	});
});

test.each<SecureVersion>(['TLSv1.2', 'TLSv1.3'])(
	'with %s and a certificate that is not trusted, nothing of the request leaves',
	async (version) => {
		setDefaultCACertificates(trusted);
		peer = await startTlsPeer(version);
		expect(await execute('sendImage')).toMatchObject({
			message: expect.stringContaining('does not trust the certificate') as string,
			delivery: 'notSent',
		});
		expect(peer.connections).toBe(1);
		expect(peer.received).toBe('');
	},
);
