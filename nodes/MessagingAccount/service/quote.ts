import type { Account } from './account';

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

/** The service's own sentence in the body of a refusal, made fit to be shown; undefined where there is none. */
export function explanationIn(body: unknown, account: Account, depth = 0): string | undefined {
	if (typeof body === 'string') {
		return body.trim() === '' || isWebPage(body) ? undefined : quote(body, account);
	}
	if (typeof body !== 'object' || body === null || depth > EXPLANATION_MAX_DEPTH) return undefined;
	const candidates = Array.isArray(body)
		? body.slice(0, 1)
		: EXPLANATION_FIELDS.map((field) => (body as Record<string, unknown>)[field]);
	for (const candidate of candidates) {
		const explanation = explanationIn(candidate, account, depth + 1);
		if (explanation) return explanation;
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
export function quote(text: string, { clientId, token }: Account): string {
	const secrets = [clientId, token].flatMap(formsOf).sort((a, b) => b.length - a.length);
	const shown = secrets
		.reduce((rest, secret) => rest.replace(anyCase(secret), '***'), text)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return shown.length > QUOTE_MAX_LENGTH ? `${shown.slice(0, QUOTE_MAX_LENGTH)}…` : shown;
}

/** How a service may repeat a secret: as it arrived (HTTP drops spaces around it), in a URL, or in JSON. */
function formsOf(secret: string): string[] {
	const arrived = secret.trim();
	return [arrived, encodeURIComponent(arrived), JSON.stringify(arrived).slice(1, -1)];
}

/** Host names, for one, come back in lower case. */
function anyCase(text: string): RegExp {
	return new RegExp(text.replace(/\W/g, '\\$&'), 'gi');
}
