import { PNG } from 'pngjs';

import { ApiError } from '../../nodes/MessagingAccount/errors/apiError';
import { isHtml } from '../../nodes/MessagingAccount/errors/extractApiMessage';
import { unexpectedResponseError } from '../../nodes/MessagingAccount/errors/unexpectedResponseError';
import { chooseIdField } from '../../nodes/MessagingAccount/events/newMessage/idField';
import type { ListQuery } from '../../nodes/MessagingAccount/messages/listOptions';
import { keyMessages } from '../../nodes/MessagingAccount/messages/messageKey';
import { createPageRequest, readFurtherPage } from '../../nodes/MessagingAccount/messages/pages';
import type { Account } from '../../nodes/MessagingAccount/shared/account';
import { STATUS_REQUEST, type Read } from '../../nodes/MessagingAccount/transport/request';
import {
	readMessages,
	readStatus,
	unexpectedResponse,
	type ApiResponse,
} from '../../nodes/MessagingAccount/transport/responses';
import { showName } from './fieldName';
import type { Finding } from './finding';
import { describeMessages } from './messageReport';
import { probePages, sharesNothing, type Page, type Paging } from './pageProbe';

/** The usual name. Others are for the user to find in the service's documentation. */
const PAGE_PARAMETER = 'page';

const WITHOUT_PAGES: ListQuery = { query: [] };
const WITH_PAGES: ListQuery = {
	query: [],
	// `createPageRequest` adds the number to this one.
	paging: { parameter: PAGE_PARAMETER, firstPage: 0, maxPages: 3 },
};

/**
 * Asks a service what the nodes would ask it, except for sends, and describes what they make of it.
 *
 * @param onRequest is told what is requested, e.g. the status
 * @returns at least a finding about the status and one about the messages; they contain no secret and nothing of a message
 */
export async function checkService(
	account: Account,
	read: Read,
	onRequest: (what: string) => void = () => {},
): Promise<Finding[]> {
	onRequest('the status');
	const status = await checkStatus(read);
	onRequest('the messages');
	const list = await readList(read, account).catch(asApiError);
	if (list instanceof ApiError) return [status, describeUnreadableList(list, status)];

	const findings = [status, ...describeMessages(list.messages, list.field, account)];
	if (list.messages.length === 0) return findings;
	onRequest('some pages');
	return [...findings, ...(await checkPages(read, list.messages))];
}

function asApiError(error: unknown): ApiError {
	if (error instanceof ApiError) return error;
	throw error as Error;
}

async function checkStatus(read: Read): Promise<Finding> {
	const topic = 'Status';
	const response = await read(STATUS_REQUEST).then(readStatus).catch(asApiError);
	if (response instanceof ApiError) {
		return {
			topic,
			sentences: describeError(response),
			obstacle: 'its status cannot be read',
		};
	}
	const { status, qr } = response;
	if (status.is_connected === true) return { topic, sentences: ['Connected.'] };
	const waits = 'The account is not connected: it waits for its QR scan.';
	if (!qr) {
		const sentences = [waits, 'The service gives no QR code for it at the moment.'];
		return { topic, sentences, isNotable: true };
	}
	if (!isPng(qr)) {
		const sentences = [waits, 'The picture of its QR code is not a valid PNG.'];
		return { topic, sentences, obstacle: 'nobody can scan its QR code' };
	}
	const sentences = [waits, 'Its QR code is a valid PNG, which Get Status shows in n8n.'];
	return { topic, sentences, isNotable: true };
}

function isPng(file: Buffer): boolean {
	try {
		PNG.sync.read(file);
		return true;
	} catch {
		return false;
	}
}

function describeError({ message, details }: ApiError): string[] {
	return [`${message}.`, details];
}

function describeUnreadableList(error: ApiError, status: Finding): Finding {
	const sentences = describeError(error);
	const isSame = sentences.join() === status.sentences.join();
	const obstacle = 'its messages cannot be read';
	return {
		topic: 'Messages',
		sentences: isSame ? ['The same.'] : sentences,
		// A service may have no list of an account that is not connected.
		obstacle: status.isNotable ? `${obstacle} (scan the QR code, then check again)` : obstacle,
	};
}

interface MessageList {
	messages: unknown[];
	/** Of the response; undefined if the list is the response itself. */
	field?: string;
}

/** @throws ApiError if there is no list; it contains nothing of a message */
async function readList(read: Read, account: Account): Promise<MessageList> {
	const { body } = await read(createPageRequest(WITHOUT_PAGES, 0));
	const messages = findMessages({ body, account });
	if (messages === undefined) throw unreadableList({ body, account });
	if (body === messages) return { messages };
	const [field] = Object.entries(body as object).find(([, value]) => value === messages) ?? [];
	return { messages, field };
}

function findMessages(response: ApiResponse): unknown[] | undefined {
	try {
		return readMessages(response);
	} catch {
		return undefined;
	}
}

/** What the nodes say of such a response, without anything that could be of a message: the list may be in there all the same. */
function unreadableList({ body, account }: ApiResponse): ApiError {
	const expected = 'a list of messages, bare or in one field of an object';
	const isText = typeof body === 'string' && body !== '' && !isHtml(body);
	if (isText) return unexpectedResponseError('text that is not JSON', expected);
	return unexpectedResponse({ body: outline(body, account), account }, expected);
}

/** Empties all that is nested, except in fields that report an error. */
function outline(body: unknown, account: Account): unknown {
	if (typeof body !== 'object' || body === null) return body;
	return Object.fromEntries(
		Object.entries(body).map(([name, value]) => [
			showName(name, account),
			typeof value === 'object' && !/^errors?$/.test(name) ? {} : (value as unknown),
		]),
	);
}

async function checkPages(read: Read, messages: unknown[]): Promise<Finding[]> {
	const { field } = chooseIdField(messages, '');
	const listKeys = async (listed: unknown[]) =>
		(await keyMessages(listed, field)).map(({ key }) => key);
	const readPage = async (page: number): Promise<Page> => {
		const listed = await readFurtherPage(createPageRequest(WITH_PAGES, page), read);
		return listed instanceof ApiError ? listed : await listKeys(listed);
	};
	const listed = await listKeys(messages);
	const paging = await probePages(listed, readPage);
	const findings = [describePaging(paging)];
	// Otherwise, a page has listed the same messages again.
	if (paging.kind === 'otherList' || paging.kind === 'refused') {
		const again = await readFurtherPage(createPageRequest(WITHOUT_PAGES, 0), read);
		if (!(again instanceof ApiError) && sharesNothing(listed, await listKeys(again))) {
			return [CHANGING_MESSAGES];
		}
	}
	return findings;
}

const CHANGING_MESSAGES: Finding = {
	topic: 'Next poll',
	sentences: [
		'A second request for the list has none of the messages of the first one.',
		"If only their IDs differ, enter a field that stays the same in 'Message ID Field'.",
	],
	obstacle: 'New Message would start a workflow with every message at every poll',
};

function describePaging(paging: Paging): Finding {
	const topic = 'Pages';
	const name = `'${PAGE_PARAMETER}'`;
	const other = "If your service documents another name, set 'Page Parameter' to it.";
	switch (paging.kind) {
		case 'pages': {
			const { start, size, hasMore } = paging;
			const more = hasMore ? 'and there are more' : 'and no more pages so far';
			return {
				topic,
				sentences: [`${name} counts pages from ${start}: the first one has ${size}, ${more}.`],
				settings: [`'Page Parameter' to ${name}`, `'Page Start' to ${start}`],
			};
		}
		case 'ignored':
			return { topic, sentences: [`None with ${name}: each number gives the same list.`, other] };
		case 'refused':
			return { topic, sentences: [`None with ${name}: no number gives a list.`, other] };
		case 'otherList':
			return {
				topic,
				sentences: [
					`${name} gives other messages than the list without it, perhaps the oldest first.`,
					"Leave 'Page Parameter' empty: its first page must have the newest messages.",
				],
				isNotable: true,
			};
		case 'notKnown':
			return {
				topic,
				sentences: [
					`Not known, as page ${paging.page} cannot be read.`,
					...describeError(paging.error),
				],
				isNotable: true,
			};
	}
}
