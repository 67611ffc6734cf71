import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';

/** Where services put the sentence that explains an error. docs/api.md, "Errors": not specified. */
const MESSAGE_FIELDS = ['message', 'error', 'detail', 'description', 'reason', 'title', 'errors'];
const MAX_DEPTH = 3;

/**
 * Extracts the service's own sentence from the body of an error response, redacted and shortened; undefined if there is
 * none. In a field of any other name, only a text of several words counts.
 */
export function extractApiMessage(body: unknown, account: Account): string | undefined {
	const text = findSentence(body, 0, true);
	return text === undefined ? undefined : toSafeText(text, account);
}

function findSentence(body: unknown, depth: number, isExpected: boolean): string | undefined {
	if (typeof body === 'string') {
		const text = body.trim();
		return text === '' || isHtml(text) || !(isExpected || /\s/.test(text)) ? undefined : text;
	}
	if (typeof body !== 'object' || body === null || depth > MAX_DEPTH) return undefined;
	if (Array.isArray(body)) return findSentence(body[0], depth + 1, isExpected);
	const fields = body as Record<string, unknown>;
	for (const field of MESSAGE_FIELDS) {
		const sentence = findSentence(fields[field], depth + 1, isExpected);
		if (sentence) return sentence;
	}
	for (const value of Object.values(fields)) {
		const sentence = findSentence(value, depth + 1, false);
		if (sentence) return sentence;
	}
	return undefined;
}

/** Whether a text that arrived instead of JSON is a web page. */
export function isHtml(text: string): boolean {
	return text.trimStart().startsWith('<');
}
