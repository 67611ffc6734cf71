import { InvalidInputError } from '../errors/errorClasses';
import { type Evaluate, isReference, orIfRefused, Part, PARTS } from '../parameters/expressions';
import { findMissingPart } from '../parameters/missingParts';
import {
	cleanText,
	FILL_IN,
	isEmpty,
	readPlainText,
	SWITCH_TO_EXPRESSION,
} from '../parameters/text';
import { type Account, createSecrets } from '../secrets/account';
import { hasTwoSchemes, isWebAddress } from '../shared/webAddress';

/** The most characters of a field: far more than any service gives. */
const MAX_FIELD_LENGTH = 8000;

/** Slashes at the end, and what copying leaves there. The lookbehind keeps the search linear. */
const SLASHES = /(?<![\s/\\;,])[\s/\\;,]+$/;

/** What JavaScript writes into a text for a missing value, or for an object. */
const TRACE = /undefined|\[object \w+\]|\bNaN\b|(?<![^-_:/])null(?![^-_:/])/;

const LABELS = { baseUrl: 'Base URL', clientId: 'Client ID', token: 'Token' };

const refusal = (fault: string, field: string, advice: string) =>
	new InvalidInputError(`'${field}' in the credential ${fault}`, advice);

type Fields = Record<string, unknown>;

/** @param stored the fields as entered, with expressions, which `evaluate` evaluates for the item @throws InvalidInputError without the value */
export function readAccount(credential: Fields, stored: Fields = {}, evaluate?: Evaluate): Account {
	const baseUrl = readBaseUrl(credential.baseUrl);
	const { 'client-id': clientId, token } = credentialHeaders(credential);
	for (const [name, label] of Object.entries(LABELS)) {
		const [entered, given] = [String(stored[name]), String(credential[name])];
		if (!entered.startsWith('=')) continue;
		const [trace] = TRACE.exec(given) ?? [];
		if (trace) throw refusal(`contains '${trace}'`, label, FILL_IN);
		// With an empty text in the expression, a part may be empty on purpose.
		if (/""|''|``/.test(entered)) continue;
		if (hasEmptyPart(entered, given) || (evaluate && lacksPart(entered, evaluate)))
			throw refusal('has an empty part', label, FILL_IN);
	}
	// Nobody may see the password in the Base URL either, nor the login that HTTP Basic sends in Base64.
	const { username, password } = new URL(baseUrl);
	const login = password === '' ? [] : [password, `${username}:${password}`];
	return { baseUrl, clientId, token, secrets: createSecrets([clientId, token, ...login]) };
}

/** Whether a `{{ … }}` gave nothing, by the texts around them. @example hasEmptyPart('=https://{{ a }}.b/{{ c }}', 'https://.b/x') // true */
function hasEmptyPart(entered: string, given: string): boolean {
	const [start, ...others] = entered.replace(/^=/, '').split(PARTS);
	const end = others.pop();
	// n8n may take the backslash out of the text.
	if (end === undefined || /\\\{\{/.test(entered)) return false;
	const skip = (at: number, text: string) => {
		const found = given.indexOf(text, at + 1);
		return found === -1 ? Infinity : found + text.length;
	};
	return given.length - end.length <= others.reduce(skip, start.length);
}

/** The same for what n8n can evaluate by itself, which finds values that are nothing inside a `{{ … }}`, too. */
function lacksPart(entered: string, evaluate: Evaluate): boolean {
	if (isReference(entered)) return false;
	const readPart = (part: string) => orIfRefused(() => evaluate(part), undefined);
	return (entered.match(PARTS) ?? []).some((expression) => {
		// n8n has external secrets for credentials alone.
		const isSecret = expression.includes('$secrets');
		const given = isSecret ? expression : orIfRefused(() => evaluate(expression), expression);
		const part = new Part(expression, String(given), readPart);
		return isEmpty(given) || Boolean(findMissingPart(part, isEmpty));
	});
}

/** Returns the two headers of every request: docs/api.md, "Authentication". @throws InvalidInputError naming the field */
export function credentialHeaders({ clientId, token }: { clientId?: unknown; token?: unknown }) {
	return {
		'client-id': readHeaderValue(clientId, 'Client ID'),
		token: readHeaderValue(token, 'Token'),
	};
}

/** Returns the address of the service, without the version segment. @throws InvalidInputError if it is none */
export function readBaseUrl(value: unknown): string {
	// People also enter the version segment, or a whole path of the API.
	const address = cleanText(readText(value, 'Base URL')).replace(SLASHES, '');
	const root = address.replace(/\/v1(\/(status|sendImage|messages))?$/i, '');
	const baseUrl = root.replace(SLASHES, '');
	refuseExpression(baseUrl, 'Base URL');
	// One behind a slash may be a proxy's.
	if (hasTwoSchemes(baseUrl) || /^https?:\/\/.*[^/]https?:\/\//i.test(baseUrl))
		throw refusal('contains http:// or https:// twice', 'Base URL', 'Remove one of the two.');
	const advice =
		'Enter the address of the service with http:// or https://, e.g. https://messaging.example.com.';
	if (!isWebAddress(baseUrl)) throw refusal('is not a web address', 'Base URL', advice);
	const more = 'Remove everything from the first ? or # on.';
	if (/[?#]/.test(baseUrl)) throw refusal('contains more than an address', 'Base URL', more);
	return baseUrl;
}

function readText(value: unknown, field: string): string {
	const isObject = typeof value === 'object';
	const text = isObject ? readPlainText(value, field, 'one value') : String(value ?? '');
	if (text.length <= MAX_FIELD_LENGTH) return text;
	const advice = 'Enter only the value that the service gave you.';
	throw refusal('is longer than 8,000 characters', field, advice);
}

/** @throws InvalidInputError if an expression was entered as fixed text: the service would get the expression itself */
function refuseExpression(text: string, field: string): void {
	// As in n8n, the brackets at the end may be missing.
	if (!text.includes('{{') || !/\}\}|\{\{\s{0,9}\$/.test(text)) return;
	throw refusal('contains {{', field, SWITCH_TO_EXPRESSION);
}

/** Returns the value of a header: printable ASCII, as the HTTP client would reject anything else with the value in its message. */
export function readHeaderValue(value: unknown, field: 'Client ID' | 'Token'): string {
	const text = readText(value, field).trim();
	if (text === '') throw refusal('is empty', field, 'Enter the value that the service gave you.');
	refuseExpression(text, field);
	if (/^[\x20-\x7e]+$/.test(text)) return text;
	const advice =
		'Use only letters, digits and symbols of plain ASCII. Look for line breaks, accents or typographic quotes from copying and pasting.';
	throw refusal('contains characters that cannot be sent', field, advice);
}
