import { jsonParse } from 'n8n-workflow';

import { unexpectedResponseError } from '../errors/httpError';
import type { Account } from '../shared/account';
import { redactItemValue, redactLongText } from '../shared/redaction';
import { STEP_LENGTH } from '../shared/secretFinder';
import { sleep } from '../shared/sleep';

/** Far more than a list of 100 messages, and less than what would harm the n8n that reads it. */
export const MAX_LIST_BYTES = 32 * 1024 * 1024;
/** For a response that is one object. */
export const MAX_OBJECT_BYTES = 1024 * 1024;
/** For an error response, of which only a sentence is shown. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** Otherwise a list of tiny entries could become more items than n8n can hold. */
const MAX_LIST_LENGTH = 250_000;

/** Deeper than any message, and shallow enough for all code that walks through n8n's items. */
const MAX_DEPTH = 100;

/**
 * Reads the whole body of a response.
 *
 * @param limit in bytes
 * @returns the text, without a byte order mark
 * @throws ApiError if it is too large; otherwise whatever ended the stream early
 */
export async function readBody(stream: AsyncIterable<Buffer>, limit: number): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > limit) throw unexpectedResponseError(`more than ${limit / 1024 / 1024} MB`);
		chunks.push(chunk);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
}

/** Where a number may be too long to be exact. */
const LONG_NUMBER = /(^|[[:,])\s*-?\d{16}/;
/** What tells such numbers from digits in a text. */
const TOKEN = /"|\\.|-?\d[\d.eE+-]{15,1000}/gs;

/**
 * Parses JSON, whatever the content type says. Any other text is returned as it is. Whole numbers that JavaScript cannot represent
 * exactly, e.g. IDs, become text.
 */
export function parseBody(text: string): unknown {
	const exact = LONG_NUMBER.test(text) ? quoteInexact(text) : text;
	return jsonParse<unknown>(exact, { fallbackValue: text });
}

/** Not with the source text that `JSON.parse` passes to a function: Node.js 20, on which n8n 1 may run, has none. */
function quoteInexact(json: string): string {
	let isInText = false;
	return json.replace(TOKEN, (token) => {
		if (token === '"') isInText = !isInText;
		const isInexact = /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
		return isInexact && !isInText ? `"${token}"` : token;
	});
}

/** Counts for the work of one value beside its text: as much as this many characters. */
const VALUE_WORK = 32;

/**
 * Makes a parsed body safe for n8n's items, in place: masks the client ID and the token wherever the service repeats them,
 * removes fields named `__proto__`, which n8n would make the prototype of an item, and puts an underscore before the names
 * `$error` and `$json`. For an item with both, n8n discards all its fields, and takes it for a failed one. That goes for the
 * items of every node: nested fields are renamed because a later node may make an item of them.
 *
 * A large body is read in steps, between which n8n does its other work. A small one waits for nothing.
 *
 * @throws ApiError if it is nested too deeply or contains too long a list
 */
export async function sanitizeForItems(body: unknown, { secrets }: Account): Promise<unknown> {
	/** Lists and objects whose contents are not yet safe, each with the name of the field it came in. */
	const found: Array<{ values: Record<string, unknown>; field: string; depth: number }> = [];
	let work = 0;

	/** Returns the value, safe but for what it contains. */
	const sanitize = (value: unknown, field: string, depth: number): unknown => {
		work += VALUE_WORK;
		if (typeof value === 'string') {
			if (value.length > STEP_LENGTH) return redactLongText(value, secrets);
			work += value.length;
		}
		if (typeof value === 'string' || typeof value === 'number') {
			return redactItemValue(value, secrets, field);
		}
		if (typeof value !== 'object' || value === null) return value;
		if (depth === MAX_DEPTH) {
			throw unexpectedResponseError(`lists or objects nested more than ${MAX_DEPTH} levels deep`);
		}
		if (Array.isArray(value) && value.length > MAX_LIST_LENGTH) {
			throw unexpectedResponseError(`a list of ${value.length} entries`);
		}
		found.push({ values: value as Record<string, unknown>, field, depth });
		return value;
	};

	const safeBody = await sanitize(body, '', 0);
	for (let container = found.pop(); container; container = found.pop()) {
		const { values, field, depth } = container;
		const isList = Array.isArray(values);
		for (const name of Object.keys(values)) {
			if (work > STEP_LENGTH) {
				work = 0;
				await sleep(0);
			}
			// Waits for long texts only: for all others, a wait would take longer than they do.
			let value = sanitize(values[name], isList ? field : name, depth + 1);
			if (value instanceof Promise) value = await value;
			let safeName = isList ? name : sanitize(name, '', 0);
			if (safeName instanceof Promise) safeName = await safeName;
			if (!isList) safeName = toSafeName(safeName as string, values);
			if (name === '__proto__' || safeName !== name) delete values[name];
			if (name !== '__proto__') values[safeName as string] = value;
		}
	}
	return safeBody;
}

const NAMES_OF_N8N = ['$error', '$json'];

/** Keeps a name from n8n; no other field may have the new one already. */
function toSafeName(name: string, fields: Record<string, unknown>): string {
	if (!NAMES_OF_N8N.includes(name)) return name;
	let safeName = `_${name}`;
	while (safeName in fields) safeName = `_${safeName}`;
	return safeName;
}
