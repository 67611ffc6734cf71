/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- tests need a server that can misbehave */
import { Console } from 'node:console';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { IS_MUTATION_RUN } from './cases';
import type { RecordedRequest, Script, ScriptedServer } from './scriptedServer';

/** Something that can go wrong with a request. */
export interface Fault {
	name: string;
	script: Script;
	/** Whether the service has sent the message before it goes wrong: the worst that this fault can hide. */
	delivers: boolean;
	/** What has to be said of a send. */
	delivery: 'notSent' | 'unknown';
	/** How often the request has to be made if it sends, and if it only reads. */
	tries: { send: number; read: number };
	/** ms, where it takes a time-out to end it. */
	timeout?: number;
}

const TRICKLE_MS = 20;

/** So short only for requests that are to end by it. */
export const SHORT_TIMEOUT_MS = 400;

/** Sends a byte every now and then until the other side has enough. */
function trickle(socket: Socket, head: string): void {
	socket.write(head);
	const timer = setInterval(() => socket.write(' '), TRICKLE_MS);
	socket.once('close', () => clearInterval(timer));
	socket.on('error', () => {});
}

/** Sends as fast as the other side takes it. */
function flood(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const chunk = Buffer.alloc(1024 * 1024, ' ');
	const more = () => {
		while (response.write(chunk));
	};
	response.on('drain', more);
	response.on('error', () => {});
	more();
}

const raw =
	(text: string): Script =>
	(_response, socket) =>
		socket.end(text);

const NEVER = { send: 1, read: 1 };
const READS = { send: 1, read: 3 };
const ALWAYS = { send: 3, read: 3 };

const refusal = (status: number, more: object = {}): Fault => ({
	name: `HTTP ${status}`,
	script: { status, body: { message: 'Not now' }, ...more },
	delivers: false,
	delivery: 'notSent',
	tries: NEVER,
});

const redirect = (status: number): Fault => ({
	...refusal(status, { headers: { location: 'http://127.0.0.1:9/v1/status' } }),
	name: `HTTP ${status}, to another origin`,
});

/** The work was done, and what came back does not say so. */
const uncertain = (name: string, script: Script, tries = READS): Fault => ({
	name,
	script,
	delivers: true,
	delivery: 'unknown',
	tries,
});

const endless = (name: string, script: Script): Fault => ({
	...uncertain(name, script),
	timeout: IS_MUTATION_RUN ? 150 : SHORT_TIMEOUT_MS,
});

const serverError = (status: number): Fault => uncertain(`HTTP ${status}`, { status });

const unusable = (name: string, script: Script): Fault => uncertain(name, script, NEVER);

const WAIT_NOT = { headers: { 'retry-after': '0' } };
const PAST = { headers: { 'retry-after': 'Sat, 21 Nov 2020 08:00:00 GMT' } };
const JSON_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n';

export const FAULTS: Fault[] = [
	...[301, 302, 303, 307, 308].map(redirect),
	...[400, 401, 403, 404, 408, 413, 422].map((status) => refusal(status)),
	{ ...refusal(429, WAIT_NOT), name: 'HTTP 429, Retry-After: 0', tries: ALWAYS },
	{ ...refusal(429, PAST), name: 'HTTP 429, Retry-After: a past date', tries: ALWAYS },
	{
		...refusal(429, { headers: { 'retry-after': '3600' } }),
		name: 'HTTP 429, Retry-After: an hour',
	},
	{ ...refusal(503, WAIT_NOT), name: 'HTTP 503, Retry-After: 0', tries: ALWAYS },
	...[500, 501, 502, 503, 504].map(serverError),
	uncertain('HTTP 503, Retry-After: soon', { status: 503, headers: { 'retry-after': 'soon' } }),
	uncertain('HTTP 500, Retry-After: 0', { status: 500, ...WAIT_NOT }),
	uncertain('connection closed before an answer', (_response, socket) => socket.destroy()),
	uncertain('connection reset', (_response, socket) => socket.resetAndDestroy()),
	uncertain('connection closed within the headers', raw('HTTP/1.1 200 O')),
	uncertain(
		'connection closed within the body',
		raw(`${JSON_HEAD}content-length: 100\r\n\r\n{"id": "m`),
	),
	uncertain('not HTTP', raw('220 mail.example.com ESMTP\r\n')),
	uncertain(
		'two lengths that differ',
		raw(`${JSON_HEAD}content-length: 2\r\ncontent-length: 20\r\n\r\n{}`),
	),
	endless('silence', () => {}),
	endless('headers that never end', (_response, socket) => trickle(socket, `${JSON_HEAD}x: `)),
	endless('a body that never ends', (_response, socket) =>
		trickle(socket, `${JSON_HEAD}content-length: 1000000\r\n\r\n{"id": "1",`),
	),
	unusable('more than n8n could hold', (response) => flood(response)),
	unusable('HTTP 204', { status: 204 }),
	unusable('an empty body', { body: '' }),
	unusable('null', { body: null }),
	unusable('truncated JSON', { body: '{"id": "m' }),
	unusable('a web page', { body: '<!doctype html><title>Welcome</title>' }),
	unusable('an object without the field', { body: { ok: true } }),
	unusable('the field in __proto__', {
		body: '{"__proto__": {"id": "1", "is_connected": true, "messages": [1]}}',
	}),
	unusable('what says it is gzip, and is not', {
		headers: { 'content-encoding': 'gzip' },
		body: '{"id": "1"}',
	}),
	unusable('nested 100,000 deep', {
		body: `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
	}),
];

/** Shows what a run under faults has come to. */
export function printTable(title: string, rows: object[]): void {
	process.stdout.write(`\n${title}\n`);
	new Console(process.stdout).table(rows);
}

/** Requests that are answered before a server is in the middle of its work. */
export const ANSWERED = 100;

/**
 * Has a server work until it is in the middle: then requests are under way that get no answer. Some of them have been
 * sent, some have not, and nothing says so.
 *
 * @param send what the server does with a send
 * @param underWay how many of these there are to be
 */
export async function untilInTheMiddle(
	server: ScriptedServer,
	send: (request: RecordedRequest) => Script,
	underWay: number,
): Promise<void> {
	await new Promise<void>((resolve) =>
		server.answerEach((request) => {
			const count = server.requests.length;
			if (count <= ANSWERED) return send(request);
			if (count % 2 === 0) send(request);
			if (count === ANSWERED + underWay) resolve();
			return () => {};
		}),
	);
}
