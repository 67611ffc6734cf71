const MASK = '***';

/** Shorter secrets may occur inside other text by chance, so only whole words count as one. */
const SHORT_SECRET_LENGTH = 8;

/** Shorter secrets are left in items: masking them would also mask ids and counts. */
const MIN_LENGTH_IN_ITEMS = 4;

/** Fields that hold even the shortest secret when a service echoes its request headers. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

/** Finds the client ID and the token wherever the service repeats them. */
export interface Secrets {
	/** In the texts of errors. */
	inText: RegExp;
	/** In items; undefined if both are too short. */
	inItems?: RegExp;
	/** Without the spaces around them, which HTTP drops. */
	values: string[];
}

export function createSecrets({ clientId, token }: { clientId: string; token: string }): Secrets {
	// The longer one first, because one secret may begin with the other.
	const values = [clientId, token].map((value) => value.trim()).sort((a, b) => b.length - a.length);
	const forItems = values.filter(({ length }) => length >= MIN_LENGTH_IN_ITEMS);
	return {
		inText: createPattern(values),
		inItems: forItems.length > 0 ? createPattern(forItems) : undefined,
		values,
	};
}

const MAX_TEXT_LENGTH = 300;

/**
 * Makes a text from outside safe to show in an error. Every text that the service or the network returns goes through here.
 * Secrets are masked before the text is shortened, which could otherwise leave part of one.
 */
export function toSafeText(text: string, { secrets }: { secrets: Secrets }): string {
	const safe = text
		.replace(secrets.inText, MASK)
		.replace(/\p{Cc}+/gu, ' ')
		.trim();
	return safe.length > MAX_TEXT_LENGTH ? `${safe.slice(0, MAX_TEXT_LENGTH)}…` : safe;
}

/** Masks a field's value or, without `field`, a field's name. */
export function redactItemValue(value: string | number, { inItems, values }: Secrets, field = '') {
	if (HEADER_NAME.test(field) && values.includes(String(value))) return MASK;
	if (typeof value === 'string') return inItems ? value.replace(inItems, MASK) : value;
	// By value, because parsing has rounded long numbers. A secret of zeros parses to 0, which reveals nothing.
	const isSecret =
		String(value).length >= MIN_LENGTH_IN_ITEMS &&
		values.some((secret) => secret.length >= MIN_LENGTH_IN_ITEMS && Number(secret) === value);
	return isSecret ? MASK : value;
}

function createPattern(values: string[]): RegExp {
	const patterns = values.map((value) => {
		const pattern = [...value].map(createCharacterPattern).join('');
		// Base64 characters count as parts of a word.
		const isWord = value.length < SHORT_SECRET_LENGTH;
		return isWord ? `(?<![A-Za-z0-9+/])${pattern}(?![A-Za-z0-9+/])` : pattern;
	});
	// Case-insensitive: host names, for one, come back in lower case.
	return new RegExp(patterns.join('|'), 'gi');
}

const HTML_ENTITIES: Record<string, string> = {
	'&': 'amp',
	'<': 'lt',
	'>': 'gt',
	'"': 'quot',
	"'": 'apos',
	'+': 'plus',
	'=': 'equals',
};

/** Matches a character as it is, and as services escape it in JSON, URLs, forms and HTML. */
function createCharacterPattern(character: string): string {
	const code = character.charCodeAt(0);
	const hex = code.toString(16).padStart(2, '0');
	const literal = character.replace(/\W/, '\\$&');
	const forms = [
		`\\\\{0,4}${literal}`,
		// Also if encoded more than once.
		`%(?:25){0,2}${hex}`,
		`\\\\{1,4}(?:u00|x)${hex}`,
		`&#0{0,4}${code};`,
		`&#x0{0,4}${hex};`,
	];
	if (HTML_ENTITIES[character]) forms.push(`&${HTML_ENTITIES[character]};`);
	if (character === ' ') forms.push('\\+');
	return `(?:${forms.join('|')})`;
}
