import type { ApiError } from '../../nodes/MessagingAccount/errors/errorClasses';
import { isWebPage } from '../../nodes/MessagingAccount/errors/webPage';
import { unusableResponseError } from '../../nodes/MessagingAccount/errors/httpError';
import { createPageRequest } from '../../nodes/MessagingAccount/messages/pages';
import type { Account } from '../../nodes/MessagingAccount/secrets/account';
import type { Read } from '../../nodes/MessagingAccount/transport/request';
import { EXPECTED_LIST, readMessages } from '../../nodes/MessagingAccount/transport/messageList';
import type { ApiResponse } from '../../nodes/MessagingAccount/transport/exchange';
import { unexpectedResponse } from '../../nodes/MessagingAccount/transport/unexpectedResponse';
import { showName } from './fieldName';

/** For the list as it is without a page. */
export const LIST_REQUEST = createPageRequest({ query: [] }, 0);

/** The messages of a response. */
export interface MessageList {
	messages: unknown[];
	/** Of the response, with dots between the names of nested fields; undefined if the list is the response itself. */
	field?: string;
}

/** @throws ApiError if there is no list, or no response */
export async function readList(read: Read): Promise<MessageList> {
	const response = await read(LIST_REQUEST);
	const messages = readMessages(response);
	return { messages, field: findPath(response.body, messages)?.join('.') };
}

/** Finds the names of the fields in which the list is; undefined if it is the value itself, or not in there. */
function findPath(value: unknown, list: unknown[]): string[] | undefined {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
	for (const [name, inner] of Object.entries(value)) {
		if (inner === list) return [name];
		const path = findPath(inner, list);
		if (path) return [name, ...path];
	}
	return undefined;
}

/** Creates the function that reads lists. Its errors contain nothing that could be of a message. */
export function createListRead(read: Read): Read {
	return async (request) => {
		const response = await read(request);
		if (!hasMessages(response)) throw unreadableList(response);
		return response;
	};
}

function hasMessages(response: ApiResponse): boolean {
	try {
		readMessages(response);
		return true;
	} catch {
		return false;
	}
}

/** What the nodes say of such a response, without its content: the messages may be in there all the same. */
function unreadableList({ body, account }: ApiResponse): ApiError {
	const isText = typeof body === 'string' && body !== '' && !isWebPage(body);
	if (isText) return unusableResponseError('text that is not JSON', { expected: EXPECTED_LIST });
	return unexpectedResponse({ body: outline(body, account), account }, { expected: EXPECTED_LIST });
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
