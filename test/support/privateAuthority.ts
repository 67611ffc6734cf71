import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';

/** A certificate authority that nobody knows, and a server certificate issued by it for all names of this machine. */
export interface PrivateAuthority {
	/** PEM, for `NODE_EXTRA_CA_CERTS`. */
	certificate: string;
	/** PEM, for `https.createServer`. */
	server: { key: string; cert: string };
}

/** Creates an authority with new keys, valid for a day. */
export function createPrivateAuthority(): PrivateAuthority {
	const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const server = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const issue = (serial: number, subject: string, publicKey: KeyObject, extension: Buffer) =>
		issueCertificate(serial, subject, publicKey, extension, authority.privateKey);
	return {
		certificate: issue(1, AUTHORITY_NAME, authority.publicKey, IS_AUTHORITY),
		server: {
			key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
			cert: issue(2, 'The service', server.publicKey, NAMES_OF_THIS_MACHINE),
		},
	};
}

/** Encodes a value in DER: X.690. */
function der(tag: number, ...contents: Buffer[]): Buffer {
	const content = Buffer.concat(contents);
	const { length } = content;
	const bytes =
		length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...bytes]), content]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const set = (...contents: Buffer[]) => der(0x31, ...contents);
const explicit = (number: number, content: Buffer) => der(0xa0 + number, content);
const integer = (value: number) => der(0x02, Buffer.from([value]));
const octets = (content: Buffer) => der(0x04, content);
const bits = (content: Buffer) => der(0x03, Buffer.from([0]), content);
const text = (value: string) => der(0x0c, Buffer.from(value));
const time = (date: Date) => der(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, '')));
const identifier = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const TRUE = der(0x01, Buffer.from([0xff]));

const COMMON_NAME = identifier('550403');
const ECDSA_WITH_SHA256 = sequence(identifier('2a8648ce3d040302'));
const AUTHORITY_NAME = 'A private authority';
/** basicConstraints */
const IS_AUTHORITY = sequence(identifier('551d13'), TRUE, octets(sequence(TRUE)));
/** subjectAltName: localhost, 127.0.0.1 and ::1. */
const NAMES_OF_THIS_MACHINE = sequence(
	identifier('551d11'),
	octets(
		sequence(
			der(0x82, Buffer.from('localhost')),
			der(0x87, Buffer.from([127, 0, 0, 1])),
			der(0x87, Buffer.from([...Array.from({ length: 15 }, () => 0), 1])),
		),
	),
);

/** Issues a certificate of the authority: RFC 5280, 4.1. */
function issueCertificate(
	serial: number,
	subject: string,
	publicKey: KeyObject,
	extension: Buffer,
	authorityKey: KeyObject,
): string {
	const name = (value: string) => sequence(set(sequence(COMMON_NAME, text(value))));
	const day = 24 * 60 * 60 * 1000;
	const toSign = sequence(
		explicit(0, integer(2)),
		integer(serial),
		ECDSA_WITH_SHA256,
		name(AUTHORITY_NAME),
		sequence(time(new Date(Date.now() - day)), time(new Date(Date.now() + day))),
		name(subject),
		publicKey.export({ type: 'spki', format: 'der' }),
		explicit(3, sequence(extension)),
	);
	const certificate = sequence(
		toSign,
		ECDSA_WITH_SHA256,
		bits(sign('sha256', toSign, authorityKey)),
	);
	const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
	return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
