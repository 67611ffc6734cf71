/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests need a server that can misbehave */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface RecordedRequest {
	method: string;
	/** With its query string. */
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed where there is one. */
	body: unknown;
}

/** What the server answers; a function takes the answer, or the connection, into its own hands. */
export type Script =
	| { status?: number; headers?: Record<string, string>; body?: unknown }
	| ((response: ServerResponse, socket: Socket) => void);

export interface ScriptedServer {
	url: string;
	/** All that arrived, in order. */
	requests: RecordedRequest[];
	/** Sets what the following requests are answered with. */
	answer(script: Script): void;
	/** The same, chosen for each request. */
	answerEach(choose: (request: RecordedRequest) => Script): void;
	close(): Promise<void>;
}

/**
 * A real HTTP server on a free loopback port for answers that no working service gives.
 * A body that is a string goes out as it is, anything else as JSON.
 */
export async function startScriptedServer(): Promise<ScriptedServer> {
	const requests: RecordedRequest[] = [];
	let scriptFor: (request: RecordedRequest) => Script = () => ({ status: 500 });

	const server = createServer((message, response) => {
		const chunks: Buffer[] = [];
		message.on('data', (chunk: Buffer) => chunks.push(chunk));
		message.on('end', () => {
			const text = Buffer.concat(chunks).toString();
			const request = {
				method: message.method ?? '',
				path: message.url ?? '',
				headers: message.headers,
				body: text === '' ? undefined : (JSON.parse(text) as unknown),
			};
			requests.push(request);
			const script = scriptFor(request);
			if (typeof script === 'function') return script(response, message.socket);
			const { status = 200, headers = {}, body = '' } = script;
			const isText = typeof body === 'string';
			response.writeHead(status, {
				'content-type': isText ? 'text/html' : 'application/json',
				...headers,
			});
			response.end(isText ? body : JSON.stringify(body));
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		requests,
		answer(script) {
			scriptFor = () => script;
		},
		answerEach(choose) {
			scriptFor = choose;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
