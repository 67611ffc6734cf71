import { createHash } from 'node:crypto';

import type { Script } from '../support/scriptedServer';
import type { Account, Message } from './account';
import type { Host } from './host';

/** As many messages as the service lists: docs/api.md, "Limits". */
export const LIST_LENGTH = 100;

/** Looks random, and is the same for the same number. */
export function uuid(n: number): string {
	return createHash('md5').update(String(n)).digest('hex');
}

/** The format of a message unless a host says otherwise. */
export function format({ n, text, at, chat, status }: Message): object {
	return {
		id: uuid(n),
		chat: { id: chat },
		text,
		sent_at: new Date(at).toISOString(),
		...(status > 0 && { read_at: new Date(at + status).toISOString() }),
	};
}

/** The same format without anything that tells the order. */
export function withoutTime({ n, text }: Message): object {
	return { id: uuid(n), text };
}

/** The last messages, the newest first. */
export function last(account: Account, count = LIST_LENGTH): Message[] {
	return account.listed.slice(0, count);
}

/** A page of the last messages, the newest first. */
export function page(account: Account, index: number, size: number, keeps = Infinity): Message[] {
	return last(account, keeps).slice(index * size, (index + 1) * size);
}

export function respondWith(
	messages: Message[],
	one: (message: Message) => unknown = format,
): Script {
	return { body: messages.map(one) };
}

/** A host that keeps the messages of an hour, and responds with this status behind the last page. */
export function endsWithStatus(status: number): Host {
	return {
		about: `Responds with ${status} behind the last page`,
		options: { pageParameter: 'page' },
		existing: 5,
		burst: 100,
		live: (account) => account.remove(({ at }) => at < account.now - 3_600_000),
		respond(account, index) {
			const messages = page(account, index, 20);
			return index > 0 && messages.length === 0 ? { status } : respondWith(messages);
		},
	};
}

/** A host that refuses further pages for three of eight hours. */
export function refusesFurtherPages(about: string, refusal: Script): Host {
	return {
		about,
		options: { pageParameter: 'page' },
		burst: 100,
		respond: (account, index) =>
			index > 0 && account.minute % 480 < 180 ? refusal : respondWith(page(account, index, 20)),
	};
}
