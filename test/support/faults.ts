import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Script } from './scriptedServer';

export interface Fault {
	name: string;
	script: Script;
	/** Whether to assume that the service sent the message before failing, the worst case that this fault can hide. */
	delivers: boolean;
	/** Expected `delivery` of a send. */
	delivery: 'notSent' | 'unknown';
	/** Expected number of requests for a send, and for a read. */
	attempts: { send: number; read: number };
	/** For a request that only its timeout ends: what is the last to happen. */
	hangsAfter?: 'request' | 'status';
}

const TRICKLE_MS = 20;

/** Sends a byte at a time until the client closes the connection. */
function trickle(socket: Socket, head: string): void {
	socket.write(head);
	const timer = setInterval(() => socket.write(' '), TRICKLE_MS);
	socket.once('close', () => clearInterval(timer));
	socket.on('error', () => {});
}

/** Sends as fast as the client reads. */
function flood(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const chunk = Buffer.alloc(1024 * 1024, ' ');
	const writeMore = () => {
		while (response.write(chunk));
	};
	response.on('drain', writeMore);
	response.on('error', () => {});
	writeMore();
}

const raw =
	(text: string): Script =>
	(_response, socket) =>
		socket.end(text);

const NEVER = { send: 1, read: 1 };
const ALWAYS = { send: 3, read: 3 };

const refused = (status: number, more: object = {}): Fault => ({
	name: `HTTP ${status}`,
	script: { status, body: { message: 'Not now' }, ...more },
	delivers: false,
	delivery: 'notSent',
	attempts: NEVER,
});

const redirect = (status: number): Fault => ({
	...refused(status, { headers: { location: 'http://127.0.0.1:9/v1/status' } }),
	name: `HTTP ${status}, to another origin`,
});

/** The service did the work, but its response does not say so. */
const uncertain = (name: string, script: Script, attempts = { send: 1, read: 3 }): Fault => ({
	name,
	script,
	delivers: true,
	delivery: 'unknown',
	attempts,
});

const endless = (name: string, hangsAfter: Fault['hangsAfter'], script: Script): Fault => ({
	...uncertain(name, script),
	hangsAfter,
});

const serverError = (status: number): Fault => uncertain(`HTTP ${status}`, { status });

const unusable = (name: string, script: Script): Fault => uncertain(name, script, NEVER);

/** Beside what each operation needs. */
const withFields = (name: string, more: object) =>
	unusable(name, { body: { id: '1', messages: [], qr: 'x', ...more } });

const after = (text: string) => ({ headers: { 'retry-after': text } });
const [RETRY_NOW, PAST] = [after('0'), after('Sat, 21 Nov 2020 08:00:00 GMT')];
const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';
const HALF_A_BODY = raw(`${JSON_HEAD}content-length: 100\r\n\r\n{"id": "m`);
const TWO_LENGTHS = raw(`${JSON_HEAD}content-length: 2\r\ncontent-length: 20\r\n\r\n{}`);

export const FAULTS: Fault[] = [
	...[301, 302, 307, 308].map(redirect),
	uncertain('HTTP 303', { status: 303, headers: { location: '/v1/messages/m1' } }, NEVER),
	uncertain('HTTP 304', { status: 304 }, NEVER),
	...[400, 401, 403, 404, 413, 422, 505].map((status) => refused(status)),
	uncertain('HTTP 408', { status: 408 }),
	uncertain('HTTP 409', { status: 409, body: { message: 'Already sent' } }, NEVER),
	uncertain('HTTP 499', { status: 499 }),
	{ ...refused(429, RETRY_NOW), name: 'HTTP 429, Retry-After: 0', attempts: ALWAYS },
	{ ...refused(429, PAST), name: 'HTTP 429, Retry-After: a past date', attempts: ALWAYS },
	{ ...refused(429, after('3600')), name: 'HTTP 429, Retry-After: an hour' },
	{ ...refused(503, RETRY_NOW), name: 'HTTP 503, Retry-After: 0', attempts: ALWAYS },
	...[500, 501, 502, 503, 504].map(serverError),
	uncertain('HTTP 503, Retry-After: soon', { status: 503, ...after('soon') }),
	uncertain('HTTP 503, Retry-After: retry 5', { status: 503, ...after('retry 5') }),
	uncertain('HTTP 500, Retry-After: 0', { status: 500, ...RETRY_NOW }),
	uncertain('connection closed before a response', (_response, socket) => socket.destroy()),
	uncertain('connection reset', (_response, socket) => socket.resetAndDestroy()),
	uncertain('connection closed within the headers', raw('HTTP/1.1 200 O')),
	uncertain('connection closed within the body', HALF_A_BODY),
	uncertain('not HTTP', raw('220 mail.example.com ESMTP\r\n')),
	uncertain('two different content lengths', TWO_LENGTHS),
	endless('no response', 'request', () => {}),
	endless('endless headers', 'request', (_response, socket) => trickle(socket, `${JSON_HEAD}x: `)),
	endless('an endless body', 'status', (_response, socket) =>
		trickle(socket, `${JSON_HEAD}content-length: 1000000\r\n\r\n{"id": "1",`),
	),
	unusable('a response too large for n8n', (response) => flood(response)),
	unusable('HTTP 204', { status: 204 }),
	unusable('an empty body', { body: '' }),
	unusable('null', { body: null }),
	unusable('truncated JSON', { body: '{"id": "m' }),
	unusable('a web page', { body: '<!doctype html><title>Welcome</title>' }),
	unusable('an object without the field', { body: { ok: true } }),
	withFields('success: false, with the field or not', { success: false }),
	withFields('a status that says no next to the field', { status: 'failed' }),
	withFields('an error next to the field', { error: 'Blocked' }),
	unusable('the field in __proto__', {
		body: '{"__proto__": {"id": "1", "is_connected": true, "messages": [1]}}',
	}),
	unusable('gzip encoding without gzip content', {
		headers: { 'content-encoding': 'gzip' },
		body: '{"id": "1"}',
	}),
	unusable('deeply nested JSON', { body: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }),
];
