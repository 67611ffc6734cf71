import type { IDataObject } from 'n8n-workflow';

import type { Account } from './account';
import type { ServiceFailure } from './errors';
import { unusableAnswer } from './failures';
import { isWebPage, quote } from './quote';

/** What a 2xx answer brought, and the account it came for: its secrets are kept out of what is said of the answer. */
export interface Answer {
	body: unknown;
	account: Account;
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PNG_DATA_URI = /^data:image\/png;base64,/i;

/**
 * Reads the answer of `GET /v1/status` (section 2.1 of the service's document).
 *
 * @returns the answer with `is_connected` in any case, and the QR code's PNG while the account waits for its scan, unless
 * the service says that it is not connected and has no picture yet
 * @throws ServiceFailure where it is neither of the two shapes
 */
export function readStatus(answer: Answer): { status: IDataObject; qr?: Buffer } {
	const status = answer.body;
	if (isObject(status)) {
		if (status.is_connected === true) return { status };
		const qr = pngIn(status.qr);
		if (qr) return { status: { ...status, is_connected: false }, qr };
		if (status.is_connected === false) return { status };
		if (status.qr !== undefined && status.qr !== null) {
			throw unreadable({ ...answer, body: status.qr }, "a PNG as data URI in 'qr'");
		}
	}
	throw unreadable(answer, 'a status, with is_connected or qr');
}

function pngIn(qr: unknown): Buffer | undefined {
	if (typeof qr !== 'string' || !PNG_DATA_URI.test(qr)) return undefined;
	const picture = Buffer.from(qr.replace(PNG_DATA_URI, ''), 'base64');
	return picture.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) ? picture : undefined;
}

/**
 * Reads the answer of `POST /v1/sendImage` (section 2.3): untouched, as long as it has an id.
 *
 * @throws ServiceFailure where it has none: the message may have been sent all the same
 */
export function readSentMessage(answer: Answer): IDataObject {
	const sent = answer.body;
	if (
		isObject(sent) &&
		(typeof sent.id === 'number' || (typeof sent.id === 'string' && sent.id.trim()))
	) {
		return sent;
	}
	throw unreadable(answer, 'the id of the message');
}

/**
 * Finds the messages in the answer of `GET /v1/messages`. The document does not show it: the list may be the answer
 * itself, or one field of it. Where several fields are lists, it is the only one that is not empty. An object that
 * reports an error and has no messages is not an empty list of messages.
 *
 * @throws ServiceFailure where there is no such list
 */
export function readMessages(answer: Answer): unknown[] {
	const { body } = answer;
	if (Array.isArray(body)) return body;
	if (isObject(body)) {
		const lists = Object.entries(body).flatMap(([field, value]) =>
			Array.isArray(value) && !REPORTS.includes(field) ? [value as unknown[]] : [],
		);
		const filled = lists.filter((list) => list.length > 0);
		if (filled.length === 1) return filled[0];
		if (lists.length > 0 && filled.length === 0 && !reportsError(body)) return [];
	}
	throw unreadable(answer, 'a list of messages, bare or in one field of an object');
}

/** Fields that are lists of something else where a service has them. */
const REPORTS = ['error', 'errors', 'warnings'];

function reportsError({ success, error, errors }: IDataObject): boolean {
	const isReport = (value: unknown) => Boolean(value) && !(Array.isArray(value) && !value.length);
	return success === false || isReport(error) || isReport(errors);
}

/** The message as the item's `json`: untouched; a plain value, which an item cannot hold, becomes `{ value }`. */
export function messageAsJson(message: unknown): IDataObject {
	return isObject(message) ? message : { value: message as IDataObject['value'] };
}

function isObject(value: unknown): value is IDataObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The failure for an answer that cannot be used.
 *
 * @param expected words for what should have come
 */
export function unreadable(answer: Answer, expected: string): ServiceFailure {
	return unusableAnswer(whatCame(answer), expected);
}

const FIELD_NAMES_SHOWN = 8;

function whatCame({ body, account }: Answer): string {
	if (body === null) return 'null';
	if (body === undefined || body === '') return 'an empty answer';
	if (typeof body === 'string') {
		return isWebPage(body) ? 'a web page' : `the text “${quote(body, account)}”`;
	}
	if (Array.isArray(body)) return `a list of ${body.length}`;
	if (typeof body !== 'object') return `the value ${quote(String(body), account)}`;
	const fields = Object.keys(body);
	if (fields.length === 0) return 'an object without fields';
	const shown = fields.slice(0, FIELD_NAMES_SHOWN).join(', ');
	const more = fields.length > FIELD_NAMES_SHOWN ? ', …' : '';
	return `an object with the fields ${quote(shown, account)}${more}`;
}
