import type { Account } from './account';
import { unusableAnswer } from './failures';
import { maskSecrets } from './secrets';

/** Far more than a list of 100 messages, and far less than what would hurt the n8n that reads it. */
const LARGEST_ANSWER_BYTES = 100 * 1024 * 1024;

/** Deeper than any message, and shallow enough for whatever walks through n8n's items. */
const DEEPEST_ANSWER = 100;

/** A number with fewer digits is taken for what it says, even where the client id is the same. */
const SMALLEST_SECRET_NUMBER = 10_000_000;

/**
 * Reads the body of an answer to its end.
 *
 * @returns the text, without a byte order mark
 * @throws ServiceFailure where it is too large; else whatever ended the stream early
 */
export async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of stream) {
		size += chunk.length;
		if (size > LARGEST_ANSWER_BYTES) {
			throw unusableAnswer(`more than ${LARGEST_ANSWER_BYTES / 1024 / 1024} MB`);
		}
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
 * @throws ServiceFailure where it is nested too deeply
 */
export function fitForItems(body: unknown, account: Account, depth = 0): unknown {
	if (typeof body === 'string') return maskSecrets(body, account);
	if (typeof body === 'number' && Math.abs(body) >= SMALLEST_SECRET_NUMBER) {
		const masked = maskSecrets(String(body), account);
		return masked === String(body) ? body : masked;
	}
	if (typeof body !== 'object' || body === null) return body;
	if (depth === DEEPEST_ANSWER) {
		throw unusableAnswer(`lists or objects nested more than ${DEEPEST_ANSWER} deep`);
	}
	if (Array.isArray(body)) {
		for (let i = 0; i < body.length; i++) body[i] = fitForItems(body[i], account, depth + 1);
		return body;
	}
	const fields = body as Record<string, unknown>;
	for (const name of Object.keys(fields)) {
		const value = fitForItems(fields[name], account, depth + 1);
		const shown = maskSecrets(name, account);
		if (name === '__proto__' || shown !== name) delete fields[name];
		if (name !== '__proto__') fields[shown] = value;
	}
	return fields;
}
