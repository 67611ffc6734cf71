import {
	createServer,
	type IncomingHttpHeaders,
	type RequestListener,
	type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

import { useNoJitter } from './noJitter';

export interface RecordedRequest {
	method: string;
	/** With its query string. */
	path: string;
	headers: IncomingHttpHeaders;
	/** Parsed JSON; undefined if the request has no body. */
	body: unknown;
}

/** How the server responds. A function takes over the response, or the connection itself. */
export type Script =
	| { status?: number; headers?: Record<string, string>; body?: unknown }
	| ((response: ServerResponse, socket: Socket) => void);

/** Responds with JSON, after the time that a service takes. */
export function respondAfter(ms: number, body: object): Script {
	return (response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		setTimeout(() => response.end(JSON.stringify(body)), ms);
	};
}

export type ScriptedServer = Awaited<ReturnType<typeof startScriptedServer>>;

/**
 * Starts a real HTTP server on a free loopback port, for responses that no working service sends.
 * A string body is sent as it is, anything else as JSON.
 *
 * @param host the address to listen on
 */
export async function startScriptedServer(host = '127.0.0.1') {
	const requests: RecordedRequest[] = [];
	let scriptFor: (request: RecordedRequest) => Script = () => ({ status: 500 });

	const listener: RequestListener = (message, response) => {
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
			const type = isText ? 'text/html' : 'application/json';
			response.writeHead(status, { 'content-type': type, ...headers });
			response.end(isText ? body : JSON.stringify(body));
		});
	};
	const server = createServer(listener);
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(0, host, resolve);
	});
	const { port } = server.address() as AddressInfo;

	return {
		url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
		requests,
		/** Sets the response to all following requests. */
		respondWith(script: Script) {
			scriptFor = () => script;
		},
		/** Chooses the response for each following request. */
		onRequest(choose: (request: RecordedRequest) => Script) {
			scriptFor = choose;
		},
		async close() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/**
 * Starts a scripted server before each test and closes it afterwards. A test may close it itself. Retries come without a delay, and all
 * spies are restored after each test.
 *
 * @returns always stands for the server of the current test
 */
export function useScriptedServer(): ScriptedServer {
	useNoJitter();
	const current = {} as ScriptedServer;
	beforeEach(async () => Object.assign(current, await startScriptedServer()));
	afterEach(async () => await current.close());
	return current;
}
