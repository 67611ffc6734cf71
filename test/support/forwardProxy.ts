import { createServer, request } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';

/** Starts a real forward proxy for http:// and, with CONNECT, for https:// on a free loopback port. */
export async function startForwardProxy() {
	const requests: string[] = [];
	const tunnels = new Set<Socket>();
	let refusal: number | undefined;

	const server = createServer((message, response) => {
		requests.push(`${message.method} ${message.url}`);
		if (refusal !== undefined) {
			response.writeHead(refusal).end();
			return;
		}
		const { method, headers } = message;
		const forwarded = request(message.url!, { method, headers }, (answer) => {
			response.writeHead(answer.statusCode!, answer.headers);
			answer.pipe(response);
		});
		forwarded.on('error', () => response.destroy());
		message.pipe(forwarded);
	});
	server.on('connect', (message, client: Socket) => {
		requests.push(`CONNECT ${message.url}`);
		client.on('error', () => {});
		if (refusal !== undefined) {
			client.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
			return;
		}
		const { hostname, port } = new URL(`http://${message.url}`);
		const service = connect(Number(port), hostname.replace(/[[\]]/g, ''));
		for (const socket of [client, service]) {
			tunnels.add(socket);
			socket.on('error', () => {});
		}
		service.on('connect', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
		service.on('close', () => client.destroy());
		client.on('close', () => service.destroy());
		client.pipe(service).pipe(client);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	return {
		/** For the address of the proxy, with or without a password. */
		host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
		/** What n8n asked it for, in order: `GET http://…` or `CONNECT host:port`. */
		requests,
		/** Answers everything itself with this status, and forwards nothing; undefined forwards again. */
		refuseWith(status: number | undefined) {
			refusal = status;
		},
		async close() {
			for (const socket of tunnels) socket.destroy();
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
