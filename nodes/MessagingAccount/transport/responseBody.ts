import { jsonParse } from 'n8n-workflow';

import { createYielder, STEP_LENGTH, VALUE_WORK } from '../n8n/yieldToEventLoop';
import { JsonCheck, tooLarge } from './jsonCheck';

/** The limit of a list, the same as n8n's own one of a request: it stops n8n for less than a tenth of a second (bench/README.md). */
export const MAX_LIST_BYTES = 16 * 1024 * 1024;
export const MAX_OBJECT_BYTES = 1024 * 1024;
/** The limit of an error response, of which only a sentence is shown. */
export const MAX_ERROR_BYTES = 64 * 1024;

/** Reads a body as text, without a byte order mark, and counts how many bytes of the limit it takes. @throws ApiError if it is too large */
export async function readBody(stream: AsyncIterable<Buffer>, limit: number, type?: unknown) {
	let decoder: ReturnType<typeof createDecoder> | undefined;
	const check = new JsonCheck();
	const maxValues = Math.floor(limit / VALUE_WORK);
	/** Joined at the end: to add to a text leaves its copying to whoever first reads it, in one step with that. */
	const parts: string[] = [];
	let bytes = 0;
	for await (const chunk of stream) {
		decoder ??= createDecoder(chunk, type);
		bytes += chunk.length;
		if (bytes > limit) throw tooLarge(`more than ${Math.ceil(limit / 1024 / 1024)} MB`);
		const part = decoder.decode(chunk, { stream: true });
		check.read(part);
		if (check.values > maxValues) throw tooLarge(`more than ${maxValues} values`);
		parts.push(part);
	}
	parts.push(decoder?.decode() ?? '');
	return { text: parts.join(''), size: Math.max(bytes, check.values * VALUE_WORK) };
}

const ORDER_MARKS: Record<string, string> = { efbb: 'utf-8', fffe: 'utf-16le', feff: 'utf-16be' };

/** Creates the decoder of a body: its byte order mark says more than the header. Without a known charset, it is UTF-8. */
function createDecoder(start: Buffer, contentType: unknown) {
	const [, charset] = /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(String(contentType)) ?? [];
	const mark = ORDER_MARKS[start.toString('hex', 0, 2)];
	// Java writes ISO8859_1, and others latin-1.
	for (const label of [mark ?? charset, charset?.replace(/[-_]/g, '')])
		try {
			return new TextDecoder(label);
		} catch {
			// The next one may be known.
		}
	return new TextDecoder();
}

/** A number that may be too long to be exact. */
const LONG_NUMBER = /(^|[\s[:,-])\d{16}/;
/** Such numbers, and what distinguishes them from digits in a text. */
const TOKEN = /"|\\.|-?\d[\d.eE+-]{0,1000}/gs;

/** Parses JSON, whatever its type; other text stays. Whole numbers that JavaScript cannot represent exactly, e.g. IDs, become text. */
export async function parseBody(text: string): Promise<unknown> {
	const yieldToEventLoop = createYielder();
	let isExact = true;
	for (let i = 0; i < text.length && isExact; i += STEP_LENGTH) {
		// With the start of the next step: a number may lie in both.
		isExact = !LONG_NUMBER.test(text.slice(i, i + STEP_LENGTH + 17));
		await yieldToEventLoop(Math.min(STEP_LENGTH, text.length));
	}
	await yieldToEventLoop(text.length);
	const exact = isExact ? text : await quoteInexact(text);
	return jsonParse<unknown>(exact, { fallbackValue: text });
}

/** Puts inexact whole numbers in quotes. `JSON.parse` could pass their source text to a function, but not in Node.js 20. */
async function quoteInexact(json: string): Promise<string> {
	const steps: string[] = [];
	let parts: string[] = [];
	const yieldToEventLoop = createYielder();
	let [isText, end, last] = [false, 0, 0];
	for (const { 0: token, index } of json.matchAll(TOKEN)) {
		if (token === '"') isText = !isText;
		else if (!isText && /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) {
			parts.push(json.slice(end, index), `"${token}"`);
			end = index + token.length;
		}
		const pause = yieldToEventLoop(VALUE_WORK + index - last);
		last = index;
		if (!pause) continue;
		steps.push(parts.join(''));
		parts = [];
		await pause;
	}
	return [...steps, ...parts, json.slice(end)].join('');
}
