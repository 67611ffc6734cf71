import { jsonParse } from 'n8n-workflow';

import { unexpectedResponseError } from '../errors/unexpectedResponseError';
import type { Account } from '../shared/account';
import { redactItemValue } from '../shared/redaction';

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

/** Parses JSON, whatever the content type says. Any other text is returned as it is. */
export function parseBody(text: string): unknown {
	return jsonParse<unknown>(text, { fallbackValue: text });
}

/**
 * Makes a parsed body safe for n8n's items, in place: masks the client ID and the token wherever the service repeats them,
 * removes fields named `__proto__`, which n8n would make the prototype of an item, and puts an underscore before the names
 * `$error` and `$json`. For an item with both, n8n discards all its fields, and takes it for a failed one. That goes for the
 * items of every node: nested fields are renamed because a later node may make an item of them.
 *
 * @throws ApiError if it is nested too deeply or contains too long a list
 */
export function sanitizeForItems(body: unknown, account: Account): unknown {
	return sanitize(body, account, '', 0);
}

function sanitize(body: unknown, account: Account, field: string, depth: number): unknown {
	if (typeof body === 'string' || typeof body === 'number') {
		return redactItemValue(body, account.secrets, field);
	}
	if (typeof body !== 'object' || body === null) return body;
	if (depth === MAX_DEPTH) {
		throw unexpectedResponseError(`lists or objects nested more than ${MAX_DEPTH} levels deep`);
	}
	if (Array.isArray(body)) {
		if (body.length > MAX_LIST_LENGTH)
			throw unexpectedResponseError(`a list of ${body.length} entries`);
		for (let i = 0; i < body.length; i++) body[i] = sanitize(body[i], account, field, depth + 1);
		return body;
	}
	const fields = body as Record<string, unknown>;
	for (const name of Object.keys(fields)) {
		const value = sanitize(fields[name], account, name, depth + 1);
		const safeName = toSafeName(name, fields, account);
		if (name === '__proto__' || safeName !== name) delete fields[name];
		if (name !== '__proto__') fields[safeName] = value;
	}
	return fields;
}

const NAMES_OF_N8N = ['$error', '$json'];

/** Returns the name itself if it is safe. Otherwise no other field may have the new one already. */
function toSafeName(name: string, fields: Record<string, unknown>, account: Account): string {
	if (!NAMES_OF_N8N.includes(name)) return String(redactItemValue(name, account.secrets));
	let safeName = `_${name}`;
	while (safeName in fields) safeName = `_${safeName}`;
	return safeName;
}
