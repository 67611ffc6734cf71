/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- not part of the published node: it serves files of this folder */
import { on } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { SSEMessage } from '@fastify/sse';
import type { FastifyInstance } from 'fastify';

import type { Change, Connection, Listing, Message, PhoneAccount } from './account';

const PAGE = [
	{ path: '/', file: 'page.html', type: 'text/html; charset=utf-8' },
	{ path: '/page.css', file: 'page.css', type: 'text/css; charset=utf-8' },
	{ path: '/page.js', file: 'page.js', type: 'text/javascript; charset=utf-8' },
];

/** What the page shows when it opens. */
export interface Snapshot {
	connection: Connection;
	/** The oldest first. */
	messages: Message[];
}

/** The phone as a page, what happens on it, and how this host lists messages. Not part of the API: it needs no headers. */
export function phone(server: FastifyInstance, account: PhoneAccount): void {
	for (const { path, file, type } of PAGE) {
		server.get(path, async (_request, reply) =>
			reply.type(type).send(await readFile(join(__dirname, 'page', file))),
		);
	}
	server.get('/phone/events', { sse: 'only' }, async (_request, reply) => {
		const changes = on(account.changes, 'change') as AsyncIterableIterator<[Change]>;
		reply.sse.onClose(() => void changes.return!());
		await reply.sse.send(live(account, changes));
	});

	server.post<{ Body: { code?: string } | undefined }>('/phone/scan', async (request, reply) => {
		// Without a code: the owner holds the phone in front of the QR code that is shown now.
		const scanned = account.scan(request.body?.code ?? account.qrText);
		if (scanned) return { is_connected: true };
		return await reply.status(409).send({
			message: account.isConnected
				? 'The account is connected already'
				: 'This code is out of date',
		});
	});

	server.post('/phone/log-out', () => {
		account.logOut();
		return { is_connected: false };
	});

	const received = fieldsOf({ number: { type: 'string', pattern: '^[0-9]+$' }, text: TEXT });
	server.post<{ Body: { number: string; text: string } }>(
		'/phone/receive',
		{ schema: { body: received } },
		(request) => account.receive(request.body),
	);

	const listing = fieldsOf({ newestFirst: { type: 'boolean' }, wrapped: { type: 'boolean' } });
	server.post<{ Body: Listing }>('/phone/listing', { schema: { body: listing } }, (request) => {
		account.listing = request.body;
		return account.listing;
	});
}

/** All there is, then each change. */
async function* live(
	account: PhoneAccount,
	changes: AsyncIterable<[Change]>,
): AsyncGenerator<SSEMessage> {
	// Before anything is awaited: what comes later is among the changes, and must not be in both.
	const messages = [...account.messages];
	const snapshot: Snapshot = { connection: await account.connection(), messages };
	yield { event: 'account', data: snapshot };
	for await (const [change] of changes) {
		const { event } = change;
		yield { event, data: event === 'message' ? change.message : await account.connection() };
	}
}

const TEXT = { type: 'string', minLength: 1 };

/** The schema of a body that has these fields and no others. */
function fieldsOf(properties: Record<string, object>): object {
	return {
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	};
}
