import type { Account } from './account';

const MASK = '***';

/** A secret as short as this may stand inside other text by chance: then only the whole word is one. */
const SHORT_SECRET = 8;

/** Matches the client id and the token in a text, in the forms in which a service may repeat them. */
export function secretsPattern({ clientId, token }: Pick<Account, 'clientId' | 'token'>): RegExp {
	// The longer one first: one secret may begin with the other.
	const forms = [clientId, token].flatMap(formsOf).sort((a, b) => b.length - a.length);
	return new RegExp(forms.map(patternOf).join('|'), 'gi');
}

export function maskSecrets(text: string, { secrets }: Pick<Account, 'secrets'>): string {
	return text.replace(secrets, MASK);
}

/** As it arrived (HTTP drops spaces around it), in a URL, in JSON, in JSON as PHP writes it, in HTML. */
function formsOf(secret: string): string[] {
	const arrived = secret.trim();
	const inJson = JSON.stringify(arrived).slice(1, -1);
	const inHtml = arrived.replace(/[&<>"']/g, (sign) => `&${HTML_NAMES[sign]};`);
	return [arrived, encodeURIComponent(arrived), inJson, inJson.replace(/\//g, '\\/'), inHtml];
}

const HTML_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": '#39',
};

/** In any case: host names, for one, come back in lower case. The signs of Base64 count as parts of a word. */
function patternOf(form: string): string {
	const literal = form.replace(/\W/g, '\\$&');
	if (form.length >= SHORT_SECRET) return literal;
	return `(?<![A-Za-z0-9+/])${literal}(?![A-Za-z0-9+/])`;
}
