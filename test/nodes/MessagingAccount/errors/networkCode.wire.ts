import { getCACertificates, setDefaultCACertificates, type SecureVersion } from 'node:tls';

import { CREDENTIAL, runNode } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import {
	CERTIFICATE,
	startTlsPeer,
	type PlainTextMoment,
	type TlsPeer,
} from '../../../support/tlsPeer';

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
	const LOST = 'was lost before a response arrived';

	test.each<[SecureVersion, PlainTextMoment, message: string, delivery: string, reads: number]>([
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
