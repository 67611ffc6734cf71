import type { IDataObject } from 'n8n-workflow';

import { MAX_TEXT_LENGTH } from '../errors/plainWords';
import { isObject } from '../shared/fields';
import { FAILED_CODE, FAILED_STATUS, NO_ERROR } from './failureWords';

export const RESPONSE_WRAPPERS =
	/^(data|results?|response|payload|body|output|return|_embedded|d|chat)$/i;

/** The fields that are looked at: more than a response has around its messages. Bytes, {"0":255,"1":216,…}, are none, and long to list. */
export const fieldsOf = (body: IDataObject): Array<[string, unknown]> => {
	const names = '1000' in body ? [] : Object.keys(body).slice(0, 1000);
	return names.filter(({ length }) => length < 100).map((name) => [name, body[name]]);
};

const NO = /^(false|no|n[aã]o)$/i;

/** Whether a rule applies to these fields: those of the response, or of an object in its field `wrapper`. */
type AppliesTo = (fields: IDataObject, wrapper?: string) => boolean;

/** Fields that report an error, and their values, in spite of a 2xx status: docs/api.md, "Send image". */
const ERROR_REPORTS: Array<[field: RegExp, value: RegExp, appliesTo?: AppliesTo]> = [
	// "success": "no"
	[
		/^(is_?)?(succe(ss(ful)?|eded)|ok(ay)?|sucesso|[eé]xito|succ[eè]s|successo|erfolg(reich)?|berhasil|sukses)$/i,
		/^(false|no?|n[aã]o|0)$/i,
	],
	// "message_status": "SEND_FAILED"
	[
		/^(((message|msg|sms|delivery|send)_?)?(status|state|result|ack)(_?(text|name|message|msg))?|outcome)$/i,
		FAILED_STATUS,
	],
	[/^((is|has)_?)?(failed|rejected)$/i, /^(true|yes|1)$/i], // "is_failed": true
	[/^code$/i, FAILED_CODE], // "code": "failed"
	// "status": { "name": "failed" }
	[/^((group)?name|value|type)$/i, FAILED_STATUS, (_fields, wrapper) => wrapper === 'status'],
	[/^result$/i, /^false$/i], // "result": false
	// "status_code": -1, "code": "404 Not Found"
	[
		/^((http|response|result|return)_?)?(status(_?code)?|code)$|^ack$/i,
		/^(-[1-9]\d*|[45]\d\d( [A-Z].*)?)$/,
	],
	// `sent: 0` may be a count. Inside the response, it is the state of the message, to which it may not have happened yet.
	[
		/^((is|message)_?)?(sent|accepted|enviad[oa]|envoy[eé]e?|inviat[oa]|gesendet|terkirim)$/i,
		NO,
		(_fields, wrapper) => !wrapper,
	],
	// With `sent` or `read`, it is a record of the message, which may arrive later.
	[
		/^((is|message)_?)?(delivered|entregue)$/i,
		NO,
		({ sent, enviado, read, lido }, wrapper) =>
			!wrapper && ![sent, enviado].includes(true) && (read ?? lido) === undefined,
	],
	// Beside an ID, it may be the state of something else, e.g. of the receipt.
	[/^status$/i, /^false$/i, ({ id }) => id === undefined],
];
/** Fields that report an error unless they are empty, or say that there is none. */
const NAMED_ERROR =
	/^((is|has|validation)_?)?(errors?|(err(or)?|fail(ed|ure)?|reject(ion|ed)?)_?(code|message|msg|text|reason|description|info|data|details?|type|number)|(message|send|mensa(gem|je))_?erro?r?|fault(string)?|err|errno|erros?|errore|erreur|fehler|failure|exception)$/i;
/** Beside an ID. Beside a list, they may count other things. */
const NAMED_FAILURE =
	/^((is|has)_?)?(failed|failures|rejected|failed_?at|invalid_?(numbers|recipients|receivers)|(err(or)?|fail(ed|ure)?)_?(count|list|messages))$/i;

/** No failures, or a time that is not set: 0, 0/2, 0000-00-00 and, in Go, 0001-01-01T00:00:00Z. But not 0 credits. */
const NOTHING_YET = /^(0+([^a-z\d ]|$| of\b| failed\b)|0001-01-01)/i;

export function reportsError(fields: IDataObject, wrapper?: string): boolean {
	const reports = ERROR_REPORTS.filter(([, , appliesTo]) => appliesTo?.(fields, wrapper) ?? true);
	return fieldsOf(fields).some(([name, value]) => {
		if (NAMED_ERROR.test(name)) return holdsError(value, isErrorText);
		if (fields.id !== undefined && NAMED_FAILURE.test(name))
			return holdsError(value, (text) => isErrorText(text) && !NOTHING_YET.test(text));
		if (typeof value === 'object') {
			const isWrapper = RESPONSE_WRAPPERS.test(name) || name === 'status';
			// Some services put the result into a list, even if there is only one.
			const inner: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
			return !wrapper && isWrapper && isObject(inner) && reportsError(inner, name);
		}
		const words = String(value).slice(0, MAX_TEXT_LENGTH).trim();
		const text = words.replace(/(?<=[a-z])(?=[A-Z])/g, '_');
		return reports.some(([field, no]) => field.test(name) && no.test(text));
	});
}

function holdsError(value: unknown, isError: (text: string) => boolean): boolean {
	const values = typeof value === 'object' ? Object.values(value ?? {}) : [value];
	return values.some((one) => (typeof one === 'object' ? isFilled(one) : isError(String(one))));
}

function isErrorText(value: string): boolean {
	const text = value.trim();
	const plain = text.replace(/^[\s("'[{]{1,9}|[\s.!)"'\]}]{1,9}$/g, '');
	return text.length > 200 || !NO_ERROR.test(plain);
}

export const isFilled = (value: unknown) =>
	typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : Boolean(value);
