import type { IDataObject } from 'n8n-workflow';

import { CHECK_ADDRESS, unexpectedResponseError } from '../errors/httpError';
import type { ApiError } from '../errors/errorClasses';
import { extractApiMessage } from '../errors/extractApiMessage';
import { describePage, isWebPage } from '../errors/webPage';
import { STEP_LENGTH } from '../n8n/yieldToEventLoop';
import { type Account, toSafeText } from '../secrets/account';
import { isObject } from '../shared/fields';
import { listIdFields } from '../shared/idPaths';
import { reportsError } from './errorReports';

/** The body of a 2xx response, and the account it came for: errors about the response leave out the account's secrets. */
export type ApiResponse = { body: unknown; account: Account };

/** A response with the part of the request's `maxResponseBytes` that it takes. */
export type SizedResponse = ApiResponse & { size: number };

/** Returns the body of `POST /v1/sendImage` untouched: docs/api.md, "Send image". @throws ApiError if it has no id, or reports an error */
export function readSentMessage(response: ApiResponse): IDataObject {
	const sent = response.body;
	const hasId = isObject(sent) && isId(sent.id);
	if (hasId && !reportsError(sent)) return sent;
	const [field] = listIdFields(sent);
	const found = field ? `; here, '${toSafeText(field, response.account)}' looks like it` : '';
	const advice = `Ask the service's operator: the ID must be in 'id'${found}.`;
	const message = 'The service responded without a message ID';
	const other = hasId || isWebPage(sent) ? {} : { message, advice };
	throw unexpectedResponse(response, 'the id of the message', undefined, other);
}

/** Some services have a word for a missing ID, maybe in brackets, or a sentence. */
const NO_ID =
	/undefined|\[object|^-1$|^(not?|unable|cannot)\s{1,9}\p{L}|^(error|fail(ed)?|invalid):?\s{1,9}\p{L}|^[^\p{L}\p{N}]*((null|none|nil|nan|n\/a|true|false|error|fail(ed)?|unknown)[^\p{L}\p{N}]*)?$/iu;
const isId = (id: unknown) =>
	(typeof id === 'number' && id !== -1) ||
	(typeof id === 'string' && !NO_ID.test(id.trim().slice(0, 200)));

/** Returns a message as an item's `json`. One that an item cannot hold, or n8n would take for a failed item, becomes `{ value }`. */
export function toItemJson(message: unknown): IDataObject {
	// Because of these fields alone, n8n would route an item to the error output, and merge the input item into it.
	const isOfError = (field: string) => /^(error|message|details)$/.test(field);
	const isItem = isObject(message) && !(message.error && Object.keys(message).every(isOfError));
	return isItem ? message : { value: message as IDataObject['value'] };
}

/**
 * Creates the error for a response that cannot be used.
 *
 * | the body | the message | the advice |
 * | --- | --- | --- |
 * | says that the account is not connected | its reason | to scan the QR code |
 * | reports another error | its reason | what it says, `ifReported` |
 * | any other | `otherwise.message` | what it says, if that is a sentence for sure, `otherwise.advice` |
 *
 * @param expected describes what should have come
 * @param ifReported what to do if the service reports that something went wrong @param otherwise what happened, and what to do, if not
 */
export function unexpectedResponse(
	response: ApiResponse,
	expected: string,
	ifReported = 'Use Get Status to see whether the account is connected.',
	otherwise: { message?: string; advice?: string } = {},
): ApiError {
	const { body, account } = response;
	const apiMessage = isObject(body) ? extractApiMessage(body, account) : undefined;
	const isReport = isObject(body) && reportsError(body);
	const received = `${isReport ? 'a report that something went wrong, ' : ''}${describeBody(response)}`;
	const report = isReport || apiMessage?.isDisconnected ? apiMessage : undefined;
	// Without a report, only what comes in place of an ID is a sentence for sure, and not, e.g., a message.
	const said = report ?? (otherwise.message ? apiMessage : undefined);
	const quotation = said ? `The service says: “${said.text}”. ` : '';
	const advice = `${quotation}${isReport ? ifReported : (otherwise.advice ?? CHECK_ADDRESS)}`;
	return unexpectedResponseError(received, { ...otherwise, expected, advice, report });
}

const MAX_FIELD_NAMES = 8;

export function describeBody({ body, account }: ApiResponse): string {
	if (body === null) return 'null';
	if (body === undefined || body === '') return 'an empty response';
	if (isWebPage(body)) return `a web page${describePage(String(body), {}, account)}`;
	if (typeof body === 'string') return `the text “${toSafeText(body, account)}”`;
	if (Array.isArray(body)) return `a list of ${body.length} entries`;
	if (typeof body !== 'object') return `the value ${toSafeText(String(body), account)}`;
	const fields = Object.keys(body);
	if (fields.length === 0) return 'an object without fields';
	// A name may have MB.
	const names = fields.slice(0, MAX_FIELD_NAMES).map((field) => field.slice(0, STEP_LENGTH));
	const shown = names.join(', ');
	const more = fields.length > MAX_FIELD_NAMES ? ', …' : '';
	return `an object with the fields ${toSafeText(shown, account)}${more}`;
}
