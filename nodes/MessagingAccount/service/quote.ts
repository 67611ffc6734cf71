import type { Account } from './account';
import { maskInText } from './secrets';

/** Where services put the sentence that explains a refusal; the document does not show the body of one. */
const EXPLANATION_FIELDS = [
	'message',
	'error',
	'detail',
	'description',
	'reason',
	'title',
	'errors',
];
const EXPLANATION_MAX_DEPTH = 3;

/**
 * The service's own sentence in the body of a refusal, made fit to be shown; undefined where there is none.
 * In a field of another name, a text of more than one word counts as one.
 */
export function explanationIn(body: unknown, account: Account): string | undefined {
	const text = sentenceIn(body, 0, true);
	return text === undefined ? undefined : quote(text, account);
}

function sentenceIn(body: unknown, depth: number, isExpected: boolean): string | undefined {
	if (typeof body === 'string') {
		const text = body.trim();
		return text === '' || isWebPage(text) || !(isExpected || /\s/.test(text)) ? undefined : text;
	}
	if (typeof body !== 'object' || body === null || depth > EXPLANATION_MAX_DEPTH) return undefined;
	if (Array.isArray(body)) return sentenceIn(body[0], depth + 1, isExpected);
	const fields = body as Record<string, unknown>;
	for (const field of EXPLANATION_FIELDS) {
		const sentence = sentenceIn(fields[field], depth + 1, isExpected);
		if (sentence) return sentence;
	}
	for (const value of Object.values(fields)) {
		const sentence = sentenceIn(value, depth + 1, false);
		if (sentence) return sentence;
	}
	return undefined;
}

/** Is this text, which came where JSON should have come, a page for a browser? */
export function isWebPage(text: string): boolean {
	return text.trimStart().startsWith('<');
}

const QUOTE_MAX_LENGTH = 300;

/**
 * Makes a text from outside fit to be shown in an error: every such text comes through here.
 * The client id and the token are taken out before the cut, which could otherwise leave a part of them.
 */
export function quote(text: string, account: Account): string {
	const shown = maskInText(text, account)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return shown.length > QUOTE_MAX_LENGTH ? `${shown.slice(0, QUOTE_MAX_LENGTH)}…` : shown;
}
