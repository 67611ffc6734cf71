import { createHash } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { Script } from '../support/scriptedServer';
import type { Account, Message } from './account';

/** A kind of service, as the trigger sees it. */
export interface SimulatedService {
	/** The trigger's options. */
	options?: IDataObject;
	/** Number of messages before the first poll; 30 by default. */
	existing?: number;
	/** How many messages come in an hour, on average; 20 by default. */
	perHour?: number;
	/** How many come at once now and then, at most; 60 by default. */
	burst?: number;
	/** Minutes between two polls; 6 by default. */
	interval?: number;
	/** What happens on the account before a poll, besides the messages that come. */
	live?(account: Account): void;
	/** Responds to a request for the list: each message with its text. Without a page parameter, the page is 0. */
	respond(account: Account, page: number): Script;
	/** What the trigger cannot do at such a service. */
	allows?: Partial<Record<Fault, Bound>>;
}

/**
 * How much of a fault a run may have, whatever its length: below 1 a share of the new messages, for `falseGaps` of the polls; from 1
 * on a number, for faults of the first hours; or a number that depends on how many messages were new.
 */
type Bound = number | ((newMessages: number) => number);

/** What the soak counts. The last one does no harm. */
export const FAULTS = ['untold', 'passedOver', 'twice', 'old', 'outOfOrder', 'falseGaps'] as const;
export type Fault = (typeof FAULTS)[number];

/** A row of the table: what is special about a service. */
export interface Row extends Omit<SimulatedService, 'respond'> {
	/** With pages of so many messages. */
	pageSize?: number;
	/** It lists only so many of the last messages; 100 by default, and all with pages. */
	keeps?: number;
	/** It always lists the fourth message, too, in front of all others. */
	pins?: boolean;
	/** It lists other messages, or in another order. */
	list?(account: Account, page: number): Message[];
	/** The newest are at the end of the list, or of each page. */
	reversed?: boolean;
	format?(message: Message, account: Account): unknown;
	/** The body of the response, instead of the bare list. */
	wrap?(messages: unknown[]): unknown;
	/** What it responds now and then instead of the list; undefined for the list. */
	instead?(account: Account, page: number): Script | undefined;
}

export function createService(row: Row): SimulatedService {
	const { pageSize, keeps, pins, list, reversed, format, wrap, instead, ...service } = row;
	const size = pageSize ?? keeps ?? 100;
	const listPage = (account: Account, page: number) => [
		...(pins && page === 0 ? [account.messages[3]] : []),
		...pageOf(last(account, keeps ?? Infinity), page, size),
	];
	return {
		...(pageSize && { options: { pageParameter: 'page' } }),
		respond(account, page) {
			const listed = (list ?? listPage)(account, pageSize ? page : 0);
			if (reversed) listed.reverse();
			const messages = listed.map((message) => (format ?? withTime)(message, account));
			return instead?.(account, page) ?? { body: wrap ? wrap(messages) : messages };
		},
		...service,
	};
}

/** Looks random, and is the same for the same number. */
export const uuid = (n: number): string => createHash('md5').update(String(n)).digest('hex');

/** The format of a message unless a service says otherwise. */
export function withTime({ n, text, at, chat, status }: Message): object {
	return {
		id: uuid(n),
		chat: { id: chat },
		text,
		sent_at: new Date(at).toISOString(),
		...(status > 0 && { read_at: new Date(at + status).toISOString() }),
	};
}

/** The last messages, the newest first. By default as many as the service lists: docs/design/service.md, "Limits". */
export const last = (account: Account, count = 100) => account.listed.slice(0, count);

export const pageOf = (messages: Message[], page: number, size: number) =>
	messages.slice(page * size, (page + 1) * size);
