import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';

/** Where services put the sentence that explains an error. docs/api.md, "Errors": not specified. */
const MESSAGE_FIELDS = ['message', 'error', 'detail', 'description', 'reason', 'title', 'errors'];
const MAX_DEPTH = 3;

/** Of the message of an error. */
const MAX_MESSAGE_LENGTH = 100;

/** A code, e.g. `invalid_number`. */
const CODE = /^[\w.:-]+$/;
/** Names of statuses that say no more than their number. */
const STATUS_NAME =
	/^(bad request|unprocessable (entity|content)|internal (server )?error|bad gateway|service (temporarily )?unavailable|gateway time-?out)\W*$/i;

/** What a service says in an error response. */
export interface ApiMessage {
	/** Redacted and shortened. */
	text: string;
	/** Whether it tells people why, which codes and the names of statuses do not. */
	isReason: boolean;
	/** Whether it is one short line, which can be the message of an error. */
	isShort: boolean;
}

/**
 * Extracts the service's own sentence from the body of an error response; undefined if there is none. In a field of any other
 * name, only a text of several words counts.
 */
export function extractApiMessage(body: unknown, account: Account): ApiMessage | undefined {
	const [sentence] = findSentences(body, 0, true);
	if (sentence === undefined) return undefined;
	const text = toSafeText(sentence, account);
	const isReason = /\p{L}/u.test(text) && !CODE.test(text) && !STATUS_NAME.test(text);
	const isShort = text.length <= MAX_MESSAGE_LENGTH && !/\p{Cc}/u.test(sentence);
	return { text, isReason, isShort };
}

/** Yields the sentences in a body, the surest first. */
function* findSentences(body: unknown, depth: number, isExpected: boolean): Generator<string> {
	if (typeof body === 'string') {
		const text = body.trim();
		if (text !== '' && !isHtml(text) && (isExpected || /\s/.test(text))) yield text;
	}
	if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return;
	if (Array.isArray(body)) return yield* findSentences(body[0], depth + 1, isExpected);
	const fields = body as Record<string, unknown>;
	for (const name of MESSAGE_FIELDS) yield* findSentences(fields[name], depth + 1, isExpected);
	for (const value of Object.values(fields)) yield* findSentences(value, depth + 1, false);
}

/** Whether a text that arrived instead of JSON is a web page. */
export function isHtml(text: string): boolean {
	return text.trimStart().startsWith('<');
}
