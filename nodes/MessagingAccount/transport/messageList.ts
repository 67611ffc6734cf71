import type { IDataObject } from 'n8n-workflow';

import { isObject } from '../shared/fields';
import { fieldsOf, isFilled, reportsError, RESPONSE_WRAPPERS } from './errorReports';
import type { ApiResponse } from './exchange';
import { unexpectedResponse } from './unexpectedResponse';

/**
 * Finds the messages in the response of `GET /v1/messages`, whose shape is not specified (docs/design/service.md, "Messages"): the response
 * itself, one of its fields, or inside fields that wrap it. Of several lists, it is the one named like messages, otherwise the only one with
 * entries that is not named like something else. An empty response is an empty list. A report of an error is none. @throws ApiError
 */
export function readMessages(response: ApiResponse): unknown[] {
	const body = response.body ?? '';
	if (Array.isArray(body)) return body;
	if (typeof body === 'string' && body.trim() === '') return [];
	const list = isObject(body) ? findList(body) : undefined;
	if (list) return list;
	throw unexpectedResponse(response, { expected: EXPECTED_LIST });
}

export const EXPECTED_LIST = 'a list of messages, bare or in one field of an object';

/** Names of the field with the messages, the surest first. */
const MESSAGE_LISTS = [
	/^messages?$/i,
	/message|msg/i,
	/^(data|items?|results?|records?|entries|rows|list|values?|hits|history|inbox|content)$/i,
];

/** Names of fields that may be lists, but never of messages. */
const PROBLEM_LISTS = /^(errors?|warnings?)$/i;
/** In a report of an error, they are never of messages, either. */
const REASON_LISTS = /^(details|issues|reasons|violations)$/i;
/** Lists of other things. */
const OTHER_LISTS =
	/^(users?|contacts?|senders?|members?|participants?|profiles?|included|links?|tags?|labels?)$/i;

function findList(body: IDataObject): unknown[] | undefined {
	const isReport = reportsError(body);
	const list = findOwnList(body, isReport) ?? findWrappedList(body);
	return isReport && list?.every((one) => typeof one === 'string') ? undefined : list;
}

function findOwnList(body: IDataObject, isReport: boolean): unknown[] | undefined {
	const others = [PROBLEM_LISTS, OTHER_LISTS, ...(isReport ? [REASON_LISTS] : [])];
	const possible = fieldsOf(body).filter(
		(entry): entry is [string, unknown[]] =>
			Array.isArray(entry[1]) && !others.some((names) => names.test(entry[0])),
	);
	for (const name of MESSAGE_LISTS) {
		const named = possible.filter(([field]) => name.test(field));
		if (named.length === 1) return named[0][1];
	}
	const filled = possible.filter(([, list]) => list.length > 0);
	return filled.length === 1 ? filled[0][1] : undefined;
}

function findWrappedList(body: IDataObject): unknown[] | undefined {
	for (const [field, value] of fieldsOf(body)) {
		const isWrapper = [RESPONSE_WRAPPERS, ...MESSAGE_LISTS].some((name) => name.test(field));
		const list = isWrapper && isObject(value) ? findList(value) : undefined;
		if (list) return list;
	}
	return fieldsOf(body).some(isEmptyList) ? [] : undefined;
}

/** Whether a field is an empty list. Some services have null or an empty object instead. */
function isEmptyList([field, value]: [string, unknown]): boolean {
	if (Array.isArray(value)) return value.length === 0 && !PROBLEM_LISTS.test(field);
	if (/(messages|msgs)$/i.test(field)) return !isFilled(value);
	return value === null && (RESPONSE_WRAPPERS.test(field) || MESSAGE_LISTS[2].test(field));
}
