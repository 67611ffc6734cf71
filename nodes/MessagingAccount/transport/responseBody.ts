import { jsonParse } from 'n8n-workflow';

import { unexpectedResponseError } from '../errors/httpError';
import type { Account } from '../shared/account';
import { redactItemValue, redactLongText } from '../shared/redaction';
import { createPauses, STEP_LENGTH } from '../shared/pauses';

/** The limit of a list: far more than 100 messages, and less than would harm the n8n that reads it. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;
/** The limit of a response that is one object. */
export const MAX_OBJECT_BYTES = 1024 * 1024;
/** The limit of an error response, of which only a sentence is shown. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** The limits of JSON: more would take n8n too much time or memory, however few bytes it has. A value counts as `VALUE_BYTES`. */
const VALUE_BYTES = 32;
const MAX_LIST_LENGTH = 250_000;
const MAX_FIELDS = 1_000;
/** A depth that is safe for all code that walks through n8n's items. */
const MAX_DEPTH = 100;

/**
 * Reads the whole body of a response.
 *
 * @param limit in bytes
 * @returns the text, without a byte order mark, and how much of the limit it takes
 * @throws ApiError if it is too large; otherwise whatever ended the stream early
 */
export async function readBody(stream: AsyncIterable<Buffer>, limit: number) {
	const decoder = new TextDecoder();
	const countValues = createJsonCheck();
	let [text, bytes, values] = ['', 0, 0];
	for await (const chunk of stream) {
		bytes += chunk.length;
		values = countValues(chunk);
		if (bytes > limit)
			throw unexpectedResponseError(`more than ${Math.ceil(limit / 1024 / 1024)} MB`);
		const maxValues = Math.floor(limit / VALUE_BYTES);
		if (values > maxValues) throw unexpectedResponseError(`more than ${maxValues} values`);
		text += decoder.decode(chunk, { stream: true });
	}
	text += decoder.decode();
	return { text, size: Math.max(bytes, values * VALUE_BYTES) };
}

/**
 * Creates a function that takes the body of a response in chunks, and returns the number of values so far. Too much JSON must not be
 * parsed: parsing is one step, during which n8n does nothing else.
 *
 * @returns the function, which throws ApiError if JSON contains too much
 */
function createJsonCheck(): (chunk: Buffer) => number {
	/** The number of entries of a list, or of fields of an object, so far, by level. */
	const counts: number[] = [];
	const limits: number[] = [];
	let values = 0;
	let isText = false;
	let isEscaped = false;
	let isJson: boolean | undefined;
	const count = () => {
		const level = counts.length - 1;
		const limit = limits[level];
		if (++counts[level] > limit) {
			const what = limit === MAX_FIELDS ? 'an object with' : 'a list of';
			const names = limit === MAX_FIELDS ? 'fields' : 'entries';
			throw unexpectedResponseError(`${what} more than ${limit} ${names}`);
		}
		values++;
	};
	return (chunk) => {
		const [start] = isJson === undefined ? (CONTENT.exec(chunk.toString('latin1')) ?? []) : [];
		if (start !== undefined) isJson = start === '[' || start === '{';
		if (!isJson) return 0;
		for (let i = 0; i < chunk.length; i++) {
			const byte = chunk[i];
			if (isEscaped) isEscaped = false;
			else if (byte === BACKSLASH) isEscaped = isText;
			else if (byte === QUOTE) isText = !isText;
			else if (isText) continue;
			else if (byte === COMMA) count();
			else if (byte === LIST || byte === OBJECT) {
				if (counts.length === MAX_DEPTH) {
					const levels = `lists or objects nested more than ${MAX_DEPTH} levels deep`;
					throw unexpectedResponseError(levels);
				}
				counts.push(0);
				limits.push(byte === LIST ? MAX_LIST_LENGTH : MAX_FIELDS);
				count();
			} else if (byte === LIST_END || byte === OBJECT_END) {
				counts.pop();
				limits.pop();
			}
		}
		return values;
	};
}

/** A character that is neither white space nor part of a byte order mark. */
const CONTENT = /[^\s\u00ef\u00bb\u00bf]/;
const [QUOTE, BACKSLASH, COMMA, LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('"\\,[]{}');

/** The work for one value besides its text, in characters. */
const VALUE_WORK = 32;

/** The start of a number that may be too long to be exact. */
const LONG_NUMBER = /(^|[[:,])\s*-?\d{16}/;
/** Such numbers, and what distinguishes them from digits in a text. */
const TOKEN = /"|\\.|-?\d[\d.eE+-]{15,1000}/gs;

/**
 * Parses JSON, whatever the content type says. Any other text is returned as it is. Whole numbers that JavaScript cannot represent
 * exactly, e.g. IDs, become text.
 */
export async function parseBody(text: string): Promise<unknown> {
	const takePause = createPauses();
	await takePause(text.length);
	const exact = LONG_NUMBER.test(text) ? await quoteInexact(text) : text;
	await takePause(text.length);
	return jsonParse<unknown>(exact, { fallbackValue: text });
}

/** Puts inexact whole numbers in quotes. `JSON.parse` could pass their source text to a function, but not in Node.js 20. */
async function quoteInexact(json: string): Promise<string> {
	const parts: string[] = [];
	const takePause = createPauses();
	let [isText, end, last] = [false, 0, 0];
	for (const { 0: token, index } of json.matchAll(TOKEN)) {
		if (token === '"') isText = !isText;
		else if (!isText && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
			parts.push(json.slice(end, index), `"${token}"`);
			end = index + token.length;
		}
		const pause = takePause(VALUE_WORK + index - last);
		if (pause) await pause;
		last = index;
	}
	return parts.join('') + json.slice(end);
}

/**
 * Makes a parsed body safe for n8n's items, in place. It masks the account's secrets wherever the service repeats them, and removes fields
 * named `__proto__`, which n8n would make the prototype of an item. It puts an underscore before the names `$error` and `$json`, because
 * n8n takes an item with both for a failed one, and discards all its fields. Nested fields are renamed, too, because a later node may make
 * an item of them.
 *
 * A large body is read in steps, between which n8n does its other work. A small one waits for nothing.
 */
export async function sanitizeForItems(body: unknown, { secrets }: Account): Promise<unknown> {
	/** Lists and objects whose contents are not yet safe, each with the name of its field. */
	const found: Array<{ values: Record<string, unknown>; field: string }> = [];
	const takePause = createPauses();
	let work = 0;

	/** Returns a value that is safe except for its contents. */
	const sanitize = (value: unknown, field: string): unknown => {
		work += VALUE_WORK;
		if (typeof value === 'string') {
			if (value.length > STEP_LENGTH) return redactLongText(value, secrets);
			work += value.length;
		}
		if (typeof value === 'string' || typeof value === 'number') {
			return redactItemValue(value, secrets, field);
		}
		if (typeof value !== 'object' || value === null) return value;
		found.push({ values: value as Record<string, unknown>, field });
		return value;
	};

	const safeBody = await sanitize(body, '');
	for (let container = found.pop(); container; container = found.pop()) {
		const { values, field } = container;
		const isList = Array.isArray(values);
		for (const name of Object.keys(values)) {
			const pause = takePause(work);
			if (pause) await pause;
			work = 0;
			// Only long texts are awaited: for all others, a wait would take longer than they do.
			let value = sanitize(values[name], isList ? field : name);
			if (value instanceof Promise) value = await value;
			let safeName = isList ? name : sanitize(name, '');
			if (safeName instanceof Promise) safeName = await safeName;
			if (!isList) safeName = toSafeName(safeName as string, values);
			if (name === '__proto__' || safeName !== name) delete values[name];
			if (name !== '__proto__') values[safeName as string] = value;
		}
	}
	return safeBody;
}

const NAMES_OF_N8N = ['$error', '$json'];

/** Returns a name that n8n does not use itself, and that no other field has. */
function toSafeName(name: string, fields: Record<string, unknown>): string {
	if (!NAMES_OF_N8N.includes(name)) return name;
	let safeName = `_${name}`;
	while (safeName in fields) safeName = `_${safeName}`;
	return safeName;
}
