import { on } from 'node:events';
import { join } from 'node:path';

import type { SSEMessage } from '@fastify/sse';
import type { FastifyInstance } from 'fastify';

import { servePage } from '../servePage';
import type { Change, Connection, Listing, Message, PhoneAccount } from './account';

/** State of the account when the page opens. */
export interface Snapshot {
	connection: Connection;
	/** Oldest first. */
	messages: Message[];
}

/**
 * Serves the phone's page, its actions, and the setting for the format of the message list. Not part of the API: needs no
 * authentication.
 */
export function registerPhone(server: FastifyInstance, account: PhoneAccount): void {
	servePage(server, join(__dirname, 'page'));
	server.get<{ Params: { hash: string } }>('/phone/pictures/:hash', async (request, reply) => {
		const picture = account.pictures.get(request.params.hash);
		if (!picture) return await reply.status(404).send({ message: 'There is no such picture' });
		return await reply.type(picture.type).send(picture.bytes);
	});
	server.get('/phone/events', { sse: 'only' }, async (_request, reply) => {
		const changes = on(account.changes, 'change') as AsyncIterableIterator<[Change]>;
		reply.sse.onClose(() => void changes.return!());
		await reply.sse.send(streamChanges(account, changes));
	});

	server.post<{ Body: { code?: string } | undefined }>('/phone/scan', async (request, reply) => {
		// Without a code in the request, the phone scans the current QR code.
		const scanned = account.scan(request.body?.code ?? account.qrText);
		if (scanned) return { is_connected: true };
		return await reply.status(409).send({
			message: account.isConnected
				? 'The account is already connected'
				: 'This QR code has expired',
		});
	});

	server.post('/phone/log-out', () => {
		account.logOut();
		return { is_connected: false };
	});

	const message = bodySchema({ number: { type: 'string', pattern: '^[0-9]+$' }, text: TEXT });
	server.post<{ Body: { number: string; text: string } }>(
		'/phone/receive',
		{ schema: { body: message } },
		(request) => account.receive(request.body),
	);

	const listing = bodySchema({ newestFirst: { type: 'boolean' }, wrapped: { type: 'boolean' } });
	server.post<{ Body: Listing }>('/phone/listing', { schema: { body: listing } }, (request) => {
		account.listing = request.body;
		return account.listing;
	});
}

/** Yields a snapshot, then each change. */
async function* streamChanges(
	account: PhoneAccount,
	changes: AsyncIterable<[Change]>,
): AsyncGenerator<SSEMessage> {
	// Copy before the first await: later messages arrive as changes and must not appear twice.
	const messages = [...account.messages];
	const snapshot: Snapshot = { connection: await account.connection(), messages };
	yield { event: 'account', data: snapshot };
	for await (const [change] of changes) {
		const { event } = change;
		yield { event, data: event === 'message' ? change.message : await account.connection() };
	}
}

const TEXT = { type: 'string', minLength: 1 };

/** Schema of a body with exactly these fields. */
function bodySchema(properties: Record<string, object>): object {
	return {
		type: 'object',
		properties,
		required: Object.keys(properties),
		additionalProperties: false,
	};
}
