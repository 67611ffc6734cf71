import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type SecureVersion, type TlsOptions } from 'node:tls';

/**
 * Self-signed, until 2126. For 127.0.0.1, and for localhost, which n8n expects of an IP address through a proxy.
 * Its key protects nothing.
 */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBnDCCAUGgAwIBAgIUR8olxFI30zcxeRSCNfrMqOC+2CcwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJMTI3LjAuMC4xMCAXDTI2MTEyODAwMjYwOFoYDzIxMjYxMTA0
MDAyNjA4WjAUMRIwEAYDVQQDDAkxMjcuMC4wLjEwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATOcUroko//hU+jLg/s1ZulfW4rDbMggDkifcWNC7IFNhPu1W2Yokfg
ORP+xMDsMsng0AUSOiK7ieCgHUU///Uto28wbTAdBgNVHQ4EFgQU0qF/zFWkguZU
BX36OYESqeicVrkwHwYDVR0jBBgwFoAU0qF/zFWkguZUBX36OYESqeicVrkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARhwR/AAABgglsb2NhbGhvc3QwCgYIKoZI
zj0EAwIDSQAwRgIhAIVbf5n4lskVotzQCIpnQu4keSrlj1KXDv+lPHWxCtKvAiEA
jUmW3vxdNEJU58Jf2cv2rEHh+yp+9SscvefZpsGDRQ8=
-----END CERTIFICATE-----
`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgutJP8dmJNWDRUrCS
B3Iktt4pr71CMQPkeoxMgUJ8QXKhRANCAATOcUroko//hU+jLg/s1ZulfW4rDbMg
gDkifcWNC7IFNhPu1W2YokfgORP+xMDsMsng0AUSOiK7ieCgHUU///Ut
-----END PRIVATE KEY-----
`;

const PLAIN_TEXT = 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"id": "m1"}';

/** When the peer writes plain text where TLS is expected, or closes the connection. */
export type Moment = 'instead of the handshake' | 'with its end' | 'after the request';

export type TlsPeer = Awaited<ReturnType<typeof startTlsPeer>>;

/**
 * Starts a TLS server behind a relay on a free loopback port. The relay can write plain text to the client at any moment, as
 * no TLS library would, or close the connection.
 *
 * @param moment omit for none
 */
export async function startTlsPeer(
	version: SecureVersion,
	moment?: Moment,
	{ closes = false, ...options }: TlsOptions & { closes?: boolean } = {},
) {
	const peer = {
		url: '',
		/** What arrived of requests, decrypted. */
		received: '',
		connections: 0,
		async close() {
			for (const socket of sockets) socket.destroy();
			for (const each of [relay, server]) await new Promise((resolve) => each.close(resolve));
		},
	};
	const sockets = new Set<Socket>();
	let onRequest = () => {};
	const server = createTlsServer(
		{ key: KEY, cert: CERTIFICATE, minVersion: version, maxVersion: version, ...options },
		(socket) => {
			socket.on('error', () => {});
			socket.on('data', (data) => {
				peer.received += data.toString();
				const end = peer.received.startsWith('GET') ? '\r\n\r\n' : '}';
				if (peer.received.endsWith(end)) onRequest();
			});
		},
	).on('tlsClientError', () => {});
	const port = await listen(server);

	const relay = createServer((client) => {
		peer.connections++;
		const upstream = connect(port, '127.0.0.1');
		for (const socket of [client, upstream]) {
			sockets.add(socket);
			socket.on('error', () => {});
		}
		client.on('close', () => upstream.destroy());
		upstream.on('close', () => client.destroy());
		const interfere = (data: Buffer) => {
			if (closes) client.end(data);
			else client.write(Buffer.concat([data, Buffer.from(PLAIN_TEXT)]));
		};
		if (moment === 'instead of the handshake') {
			client.once('data', () => interfere(Buffer.alloc(0)));
			return;
		}
		client.pipe(upstream);
		if (moment === 'after the request') onRequest = () => interfere(Buffer.alloc(0));
		let flights = 0;
		upstream.on('data', (data: Buffer) => {
			const isEnd = ++flights === (version === 'TLSv1.3' ? 1 : 2) && moment === 'with its end';
			if (isEnd) interfere(data);
			else if (client.writable) client.write(data);
		});
	});
	peer.url = `https://127.0.0.1:${await listen(relay)}`;
	return peer;
}

async function listen(server: Server): Promise<number> {
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return (server.address() as AddressInfo).port;
}
