import type { IDataObject } from 'n8n-workflow';

import { CHECK_ADDRESS, CHECK_CREDENTIAL, unexpectedResponseError } from '../errors/httpError';
import type { ApiError } from '../errors/errorClasses';
import { extractApiMessage } from '../errors/extractApiMessage';
import { describePage, isWebPage } from '../errors/webPage';
import { isEmpty } from '../parameters/text';
import { type Account, toSafeText } from '../secrets/account';
import { isObject } from '../shared/fields';
import { listIdFields } from '../shared/idPaths';

/** The body of a 2xx response, and the account it came for: errors about the response leave out the account's secrets. */
export type ApiResponse = { body: unknown; account: Account };

/** A response with the part of the request's `maxResponseBytes` that it takes. */
export type SizedResponse = ApiResponse & { size: number };

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** The start of the data URI, which some services leave out, or to which they add parameters. */
const PNG_DATA_URI = /^data:image\/png(;[^,]*)?,/i;

/**
 * Reads the response of `GET /v1/status`: docs/api.md, "Status". @throws ApiError if it has neither of the two shapes
 * @returns the response, always with `is_connected`, and the PNG of the QR code if the account waits for its scan. The PNG is missing if
 * the service says that it is not connected, and has no picture yet.
 */
export function readStatus(response: ApiResponse): { status: IDataObject; qr?: Buffer } {
	const status = isObject(response.body) ? response.body : {};
	const { is_connected: isConnected, qr } = status;
	if (isConnected === true) return { status };
	const picture = decodePng(qr);
	if (picture) return { status: { ...status, is_connected: false }, qr: picture };
	if (isConnected === false) return { status };
	if (isConnected !== undefined && isConnected !== null) {
		throw unexpectedResponseError(describeBody({ ...response, body: isConnected }), {
			expected: "true or false in 'is_connected'",
			advice: "Ask the service's operator to return true or false.",
		});
	}
	if (qr !== undefined && qr !== null) {
		const advice = "Scan it where the service shows it, or ask the service's operator for a PNG.";
		const other = { message: 'The QR code from the service is not a PNG picture', advice };
		throw unexpectedResponse({ ...response, body: qr }, "a PNG as data URI in 'qr'", '', other);
	}
	throw unexpectedResponse(response, 'a status, with is_connected or qr', CHECK_CREDENTIAL);
}

function decodePng(qr: unknown): Buffer | undefined {
	if (typeof qr !== 'string') return undefined;
	const picture = Buffer.from(qr.trim().replace(PNG_DATA_URI, ''), 'base64');
	return picture.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? picture : undefined;
}

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

/** Some services have a word for a missing ID. */
const isId = (id: unknown) =>
	(typeof id === 'number' && id >= 0) ||
	(typeof id === 'string' &&
		!isEmpty(id) &&
		!/^(null|undefined|none|nan|n\/a|false|error|-1?)$/i.test(id.trim()));

/**
 * Finds the messages in the response of `GET /v1/messages`. Its shape is not specified (docs/design/service.md, "Messages"), so the list may
 * be the response itself, one of its fields, or inside fields that wrap it. Among several lists, the one named like messages is taken,
 * otherwise the only one with entries that is not named like something else. An empty response has no messages, and some services leave
 * out an empty list. An object that reports an error and has no messages is not an empty list. @throws ApiError if there is no such list
 */
export function readMessages(response: ApiResponse): unknown[] {
	const body = response.body ?? '';
	if (Array.isArray(body)) return body;
	if (typeof body === 'string' && body.trim() === '') return [];
	const list = isObject(body) ? findList(body) : undefined;
	if (list) return list;
	throw unexpectedResponse(response, EXPECTED_LIST);
}

/** The list that `readMessages` looks for, in the words of its error. */
export const EXPECTED_LIST = 'a list of messages, bare or in one field of an object';

/** Names of the field with the messages, the surest first. */
const MESSAGE_LISTS = [
	/^messages?$/i,
	/message|msg/i,
	/^(data|items?|results?|records?|entries|rows|list|values?|hits|history|inbox|content)$/i,
];

/** Names of fields that wrap a whole response. */
const RESPONSE_WRAPPERS = /^(data|results?|response|payload|body|output|return|_embedded|d|chat)$/i;

/** Names of fields that may be lists, but never of messages. */
const PROBLEM_LISTS = /^(errors?|warnings?)$/i;
/** The same in a report of an error. */
const REASON_LISTS = /^(details|issues|reasons|violations)$/i;
const OTHER_LISTS =
	/^(users?|contacts?|senders?|members?|participants?|profiles?|included|links?|tags?|labels?)$/i;

/** The fields that are looked at: more than a response has around its messages. */
const fieldsOf = (body: IDataObject) => {
	const names = Object.keys(body).slice(0, 1000);
	return names
		.filter(({ length }) => length < 100)
		.map((name): [string, unknown] => [name, body[name]]);
};

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

/** Fields that report an error, and their values, in spite of a 2xx status: docs/api.md, "Send image". */
const ERROR_REPORTS: Array<[field: RegExp, value: RegExp]> = [
	[
		/^(is_?)?(succe(ss(ful)?|eded)|ok|sucesso|[eé]xito|succ[eè]s|successo|erfolg|berhasil|sukses)$/i,
		/^(false|no|0)$/i,
	],
	[/^((is|has)_?)?(failed|failure|rejected|errors?)$/i, /^(true|yes|1)$/i],
	// A word may follow, or stand in front: `failed: no such number`, `SEND_FAILED`.
	[
		/^(((message|msg|sms|delivery|send)_?)?(status|state)(_?text)?|result|outcome)$/i,
		/^((?!(no|not|non|never|zero|none|cannot|without|sem|sin|sans|senza|kein|ohne|tanpa)[_ -])[a-z]+[_ -])?(err(or(ed)?|o|eur|ore)|fail(ed|ure)?|fall(o|ido)|falh(a|ou)|fallit[oa]|[eé]chec|[eé]chou[eé]|fehler|fehlgeschlagen|gagal|reject(ed)?|undeliver(ed|able)|refused|denied|declined|blocked|invalid|expired|cancell?ed|aborted|(not?|n[aã]o|non|nicht|tidak)[_ -]?(sent|delivered|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim)|unsent|unsuccessful|ko|nok|bounced|dropped|disconnected|unauthori[sz]ed|forbidden)([_ :;,.-](?!(.*[^a-z])?(0|no|none|null|false|ok|success|over|free)$).*)?$/i,
	],
	[/^result$/i, /^false$/i],
	[/^(http_?)?(status(_?code)?|code)$/i, /^[45]\d\d$/],
	[/^ack$/i, /^(-1|(ack_)?error)$/i],
];
/** In the state of a message, it may not have happened yet. `sent: 0` may be a count. */
const NOT_SENT: (typeof ERROR_REPORTS)[0] = [
	/^((is|message)_?)?(sent|delivered|accepted|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim)$/i,
	/^(false|no)$/i,
];
/** Beside an ID, it may be the state of something else, e.g. of the receipt. */
const NO_SUCCESS: (typeof ERROR_REPORTS)[0] = [/^status$/i, /^false$/i];
const NAMED_ERROR =
	/^(errors?|(err(or)?|fail(ed|ure)?)_?(code|message|msg|text|reason|description)|err|erro|errore|erreur|fehler|exception)$/i;

function reportsError(body: IDataObject, isInner = false): boolean {
	const reports = [...ERROR_REPORTS];
	if (!isInner) reports.push(NOT_SENT);
	if (body.id === undefined) reports.push(NO_SUCCESS);
	// A record of the message, from the moment after it was sent.
	const isToCome = body.sent === true || body.read !== undefined;
	return fieldsOf(body).some(([name, value]) => {
		if (name === 'delivered' && isToCome) return false;
		if (NAMED_ERROR.test(name)) return isError(value);
		const isWrapper = RESPONSE_WRAPPERS.test(name) || name === 'status';
		if (isObject(value)) return !isInner && isWrapper && reportsError(value, true);
		if (typeof value === 'object') return false;
		const text = String(value)
			.trim()
			.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
		return reports.some(([field, no]) => field.test(name) && no.test(text));
	});
}

/** Texts in a field for errors that report none, without brackets, quotes and full stops around them. */
const NO_ERROR =
	/^(|false|[a-z]?0+|2\d\d|no([ _-]?errors?)?( found)?|none|null|nil|undefined|n\/?a?|not applicable|ok|accepted|queued|sent|done|(?!.*\b(not?|fail\w*|without)\b).*\bsuccess(ful(ly)?)?|[eé]xito|sucesso|succ[eè]s|successo|erfolg|sukses|-|nenhum|ninguno|nessuno|aucune?|keine?[rs]?|tidak ada|(nenhum|sem|sin|ning[uú]n|nessun|senza) err(o|or|ore|ori|os|ores)|(aucune|sans|pas d[’']) ?erreurs?|(keine?|ohne) fehler|(tidak ada|tanpa) (error|kesalahan))$/i;

function isError(value: unknown): boolean {
	const isText = (one: unknown) =>
		!NO_ERROR.test(String(one).replace(/^[\s("'[{]+|[\s.!)"'\]}]+$/g, ''));
	if (typeof value !== 'object') return isText(value);
	return Object.values(value ?? {}).some((one) =>
		typeof one === 'object' ? isFilled(one) : isText(one),
	);
}

function isFilled(value: unknown): boolean {
	return typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : Boolean(value);
}

/** Returns a message as an item's `json`. One that an item cannot hold, or n8n would take for a failed item, becomes `{ value }`. */
export function toItemJson(message: unknown): IDataObject {
	// Because of these fields alone, n8n would route an item to the error output, and merge the input item into it.
	const isOfError = (field: string) => /^(error|message|details)$/.test(field);
	const isItem = isObject(message) && !(message.error && Object.keys(message).every(isOfError));
	return isItem ? message : { value: message as IDataObject['value'] };
}

/**
 * Creates the error for a response that cannot be used. @param expected describes what should have come
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

function describeBody({ body, account }: ApiResponse): string {
	if (body === null) return 'null';
	if (body === undefined || body === '') return 'an empty response';
	if (isWebPage(body)) return `a web page${describePage(String(body), {}, account)}`;
	if (typeof body === 'string') return `the text “${toSafeText(body, account)}”`;
	if (Array.isArray(body)) return `a list of ${body.length} entries`;
	if (typeof body !== 'object') return `the value ${toSafeText(String(body), account)}`;
	const fields = Object.keys(body);
	if (fields.length === 0) return 'an object without fields';
	const shown = fields.slice(0, MAX_FIELD_NAMES).join(', ');
	const more = fields.length > MAX_FIELD_NAMES ? ', …' : '';
	return `an object with the fields ${toSafeText(shown, account)}${more}`;
}
