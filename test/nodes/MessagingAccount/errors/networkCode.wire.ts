import { getCACertificates, setDefaultCACertificates, type SecureVersion } from 'node:tls';

import { IS_OTHER_VERSION } from '../../../support/testSize';
import { executeAt } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { CONTINUE } from '../../../support/sends';
import { CERTIFICATE, startTlsPeer, type Moment, type TlsPeer } from '../../../support/tlsPeer';

useNoJitter();
const trusted = getCACertificates();
let peer: TlsPeer;

beforeEach(() => setDefaultCACertificates([...trusted, CERTIFICATE]));
afterEach(async () => {
	setDefaultCACertificates(trusted);
	await peer.close();
});

const execute = async (operation: string) =>
	(await executeAt(peer, { settings: CONTINUE })(operation)).json[0].error;

const NOT_TLS = 'does not accept HTTPS';
const HALF = 'closed the connection before it was encrypted';
const LOST = 'was lost before the service responded';

const CASES: Array<[SecureVersion, does: string, Moment, message: string]> = [
	['TLSv1.2', 'writes plain text', 'instead of the handshake', NOT_TLS],
	['TLSv1.3', 'writes plain text', 'instead of the handshake', NOT_TLS],
	['TLSv1.2', 'writes plain text', 'with its end', LOST],
	['TLSv1.3', 'writes plain text', 'after the request', LOST],
	['TLSv1.2', 'closes', 'instead of the handshake', HALF],
	['TLSv1.3', 'closes', 'instead of the handshake', HALF],
	['TLSv1.3', 'closes', 'with its end', LOST],
	['TLSv1.3', 'closes', 'after the request', LOST],
];
// Older versions of n8n do not pass on what Node.js says of a half handshake.
const SEEN = CASES.filter(([, , , message]) => !IS_OTHER_VERSION || message !== HALF);

test.each(SEEN)('%s, the service %s %s: %s', async (version, does, moment, message) => {
	const delivery = message === LOST ? 'unknown' : 'notSent';
	peer = await startTlsPeer(version, moment, { closes: does === 'closes' });
	expect(await execute('sendImage')).toMatchObject({
		message: expect.stringContaining(message) as string,
		delivery,
	});
	expect(peer.connections).toBe(message === HALF ? 3 : 1);
	if (delivery === 'notSent') expect(peer.received).toBe('');
	if (moment === 'after the request') expect(peer.received).toContain('"number":"49151"');
	await peer.close();

	peer = await startTlsPeer(version, moment, { closes: does === 'closes' });
	await execute('getStatus');
	expect(peer.connections).toBe(message === NOT_TLS ? 1 : 3);
});

const NOT_COMMON = 'found no common TLS version or cipher';
const OTHER_CIPHER = { ciphers: 'ECDHE-RSA-AES128-SHA' };
const UNTRUSTED = 'with a certificate that is not trusted';
const WANTS = { requestCert: true, rejectUnauthorized: true };

test.each<[SecureVersion, string, object, message: string]>([
	['TLSv1.1', 'alone', { ciphers: 'DEFAULT@SECLEVEL=0' }, NOT_COMMON],
	['TLSv1.2', 'with a cipher that does not fit the certificate', OTHER_CIPHER, NOT_COMMON],
	['TLSv1.2', 'with a client certificate', WANTS, NOT_COMMON],
	['TLSv1.3', 'with a client certificate', WANTS, 'wants a client certificate'],
	['TLSv1.2', UNTRUSTED, {}, 'does not trust the certificate'],
	['TLSv1.3', UNTRUSTED, {}, 'does not trust the certificate'],
])('a TLS handshake fails, %s, %s: nothing arrives', async (version, how, options, message) => {
	if (how === UNTRUSTED) setDefaultCACertificates(trusted);
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
