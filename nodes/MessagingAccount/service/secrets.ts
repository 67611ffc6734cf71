import type { Account } from './account';

const MASK = '***';

/** A secret as short as this may stand inside other text by chance: then only the whole word is one. */
const SHORT_SECRET = 8;

/** Shorter ones say nothing where they stand in an item: ids and counts would be masked for them. */
const SHORTEST_IN_ITEMS = 4;

/** Fields in which a service that echoes its request headers repeats even the shortest. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

/** What finds the client id and the token wherever the service repeats them. */
export interface Secrets {
	/** In the texts of errors. */
	inText: RegExp;
	/** In items; undefined where both are too short. */
	inItems?: RegExp;
	/** As they arrive: HTTP drops the spaces around them. */
	values: string[];
}

export function secretsOf({ clientId, token }: Pick<Account, 'clientId' | 'token'>): Secrets {
	// The longer one first: one secret may begin with the other.
	const values = [clientId, token].map((value) => value.trim()).sort((a, b) => b.length - a.length);
	const forItems = values.filter(({ length }) => length >= SHORTEST_IN_ITEMS);
	return {
		inText: patternOf(values),
		inItems: forItems.length > 0 ? patternOf(forItems) : undefined,
		values,
	};
}

export function maskInText(text: string, { secrets }: Pick<Account, 'secrets'>): string {
	return text.replace(secrets.inText, MASK);
}

/** Masks a field's value or, without `field`, a field's name. */
export function maskInItem(value: string | number, { inItems, values }: Secrets, field = '') {
	if (HEADER_NAME.test(field) && values.includes(String(value))) return MASK;
	if (typeof value === 'string') return inItems ? value.replace(inItems, MASK) : value;
	// By value: parsing has rounded a long one. A secret of zeros is the number 0, which says nothing of it.
	const isSecret =
		String(value).length >= SHORTEST_IN_ITEMS &&
		values.some((secret) => secret.length >= SHORTEST_IN_ITEMS && Number(secret) === value);
	return isSecret ? MASK : value;
}

function patternOf(values: string[]): RegExp {
	const patterns = values.map((value) => {
		const pattern = [...value].map(patternOfCharacter).join('');
		// The signs of Base64 count as parts of a word.
		const isWord = value.length < SHORT_SECRET;
		return isWord ? `(?<![A-Za-z0-9+/])${pattern}(?![A-Za-z0-9+/])` : pattern;
	});
	// In any case: host names, for one, come back in lower case.
	return new RegExp(patterns.join('|'), 'gi');
}

const HTML_NAMES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
	'+': 'plus',
	'=': 'equals',
};

/** A character as it is, and as services escape it: in JSON, in URLs and forms, in HTML. */
function patternOfCharacter(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).padStart(2, '0');
	const literal = character.replace(/\W/, '\\$&');
	const forms = [
		`\\\\{0,4}${literal}`,
		// Encoded more than once, too.
		`%(?:25){0,2}${hex}`,
		`\\\\{1,4}(?:u00|x)${hex}`,
		`&#0{0,4}${code};`,
		`&#x0{0,4}${hex};`,
	];
	if (HTML_NAMES[character]) forms.push(`&${HTML_NAMES[character]};`);
	if (character === ' ') forms.push('\\+');
	return `(?:${forms.join('|')})`;
}
