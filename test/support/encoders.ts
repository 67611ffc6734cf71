/** What services write a text with, as libraries do it. Each encodes the whole text. */
export const ENCODERS: Record<string, (text: string) => string> = {
	json: (text) => JSON.stringify(text),
	/** PHP's `json_encode`. */
	jsonOfPhp: (text) => JSON.stringify(text).replaceAll('/', '\\/'),
	/** The same with all `JSON_HEX_` options. */
	jsonHexOfPhp: (text) => `"${escapeJson(text, /\\"|[<>&']/g).replaceAll('/', '\\/')}"`,
	/** .NET's `JsonSerializer`. */
	jsonOfDotNet: (text) => `"${escapeJson(text, /\\"|[<>&'+`]/g)}"`,
	uri: encodeURIComponent,
	/** RFC 3986. */
	percent: (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${hexOf(c)}`),
	form: (text) => new URLSearchParams({ q: text }).toString(),
	html: (text) => text.replace(/[&<>"']/g, (c) => `&${HTML[c]};`),
	/** PHP's `htmlspecialchars`. */
	htmlOfPhp: (text) => text.replace(/[&<>"']/g, (c) => (c === "'" ? '&#039;' : `&${HTML[c]};`)),
	htmlDecimal: (text) => text.replace(/[^a-z\d ]/gi, (c) => `&#${c.charCodeAt(0)};`),
	/** OWASP's encoder. */
	htmlHex: (text) => text.replace(/[^a-z\d ]/gi, (c) => `&#x${hexOf(c).toUpperCase()};`),
};

const HTML: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

function escapeJson(text: string, escaped: RegExp): string {
	const json = JSON.stringify(text).slice(1, -1);
	return json.replace(escaped, (c) => `\\u00${hexOf(c.at(-1)!).toUpperCase()}`);
}

export const toBase64 = (text: string): string => Buffer.from(text).toString('base64');
