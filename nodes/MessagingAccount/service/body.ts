import type { Account } from './account';
import { unusableAnswer } from './failures';
import { maskInItem } from './secrets';

/** Far more than a list of 100 messages, and less than what would hurt the n8n that reads it. */
export const LARGEST_LIST_BYTES = 32 * 1024 * 1024;
/** For what is one object. */
export const LARGEST_OBJECT_BYTES = 1024 * 1024;
/** For a refusal, of which a sentence is shown. */
export const LARGEST_REFUSAL_BYTES = 64 * 1024;

/** A few bytes for each entry could still make more items than n8n can hold. */
const LONGEST_LIST = 250_000;

/** Deeper than any message, and shallow enough for whatever walks through n8n's items. */
const DEEPEST_ANSWER = 100;

/**
 * Reads the body of an answer to its end.
 *
 * @param limit in bytes
 * @returns the text, without a byte order mark
 * @throws ServiceFailure where it is too large; else whatever ended the stream early
 */
export async function readBody(stream: AsyncIterable<Buffer>, limit: number): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > limit) throw unusableAnswer(`more than ${limit / 1024 / 1024} MB`);
		chunks.push(chunk);
	}
	return new TextDecoder().decode(Buffer.concat(chunks));
}

/** What is JSON becomes its value, whatever the content type says; anything else stays the text it is. */
export function parseBody(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return text;
	}
}

/**
 * Makes a parsed body fit for n8n's items, in place: the client id and the token are masked wherever the service repeats
 * them, and fields named `__proto__` are taken out, which n8n would make the prototype of an item.
 *
 * @throws ServiceFailure where it is nested too deeply, or has a list that is too long
 */
export function fitForItems(body: unknown, account: Account): unknown {
	return fit(body, account, '', 0);
}

function fit(body: unknown, account: Account, field: string, depth: number): unknown {
	if (typeof body === 'string' || typeof body === 'number') {
		return maskInItem(body, account.secrets, field);
	}
	if (typeof body !== 'object' || body === null) return body;
	if (depth === DEEPEST_ANSWER) {
		throw unusableAnswer(`lists or objects nested more than ${DEEPEST_ANSWER} deep`);
	}
	if (Array.isArray(body)) {
		if (body.length > LONGEST_LIST) throw unusableAnswer(`a list of ${body.length}`);
		for (let i = 0; i < body.length; i++) body[i] = fit(body[i], account, field, depth + 1);
		return body;
	}
	const fields = body as Record<string, unknown>;
	for (const name of Object.keys(fields)) {
		const value = fit(fields[name], account, name, depth + 1);
		const shown = String(maskInItem(name, account.secrets));
		if (name === '__proto__' || shown !== name) delete fields[name];
		if (name !== '__proto__') fields[shown] = value;
	}
	return fields;
}
