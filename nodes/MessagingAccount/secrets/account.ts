import { STEP_LENGTH } from '../n8n/yieldToEventLoop';
import { hash } from '../shared/hash';
import { MASK, SecretFinder } from './secretFinder';

/** The account that a request is made for: the address of its service, and the credentials that identify it. */
export interface Account {
	/** Without slashes at the end, and without the version segment. */
	baseUrl: string;
	clientId: string;
	token: string;
	/** The values to hide wherever the service repeats them: these two, a login in the Base URL, and the token of a link. */
	secrets: Secrets;
}

/** Returns a key that identifies an account without revealing it. It stays the same with another token or login. */
export function createAccountKey({ baseUrl, clientId }: Account): string {
	const { origin, pathname } = new URL(baseUrl);
	return hash(`${origin}${pathname} ${clientId}`);
}

/** The length of the shortest secret that is masked in items: masking shorter ones would also mask IDs and counts. */
const MIN_LENGTH_IN_ITEMS = 4;

/** Names of fields in which even the shortest secret is masked, because a service may echo its request headers. */
const HEADER_NAME = /^(client[-_]?id|token)$/i;

type Secrets = ReturnType<typeof createSecrets>;

/** @param secrets the client ID and the token first: the two may come back together in Base64, as in HTTP Basic */
export function createSecrets(secrets: string[]) {
	// A service may show them decoded, e.g. a+b for a%2Bb.
	const values = [...new Set([...secrets, ...secrets.map(decode)])];
	const forItems = values.filter(({ length }) => length >= MIN_LENGTH_IN_ITEMS);
	const inBase64 = [...forItems, secrets.slice(0, 2).join(':')]
		.map((value) => Buffer.from(value).toString('base64url'))
		.flatMap((text) => [text, text.replaceAll('-', '+').replaceAll('_', '/')]);
	return {
		inErrors: new SecretFinder([...values, ...inBase64]),
		inItems: new SecretFinder([...forItems, ...inBase64]),
		values,
	};
}

function decode(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

const MAX_SHOWN_LENGTH = 300;

/**
 * Returns a text that is safe to show in an error. Every text from the service or the network passes through here. It is masked before it
 * is shortened, because otherwise part of a secret could remain. Its first step is far more than is shown, however much masks shorten it.
 */
export function toSafeText(text: string, { secrets }: { secrets: Secrets }): string {
	const masked = secrets.inErrors.mask(text.slice(0, STEP_LENGTH));
	const safe = masked.replace(/\p{Cc}+/gu, ' ').trim();
	return safe.length > MAX_SHOWN_LENGTH ? `${safe.slice(0, MAX_SHOWN_LENGTH)}…` : safe;
}

/** Returns a field's value with its secrets masked. @example redactItemValue('Bearer token-91c2-5d', secrets, 'auth') // 'Bearer ***' */
export function redactItemValue(value: unknown, { inItems, values }: Secrets, field = ''): unknown {
	if (typeof value !== 'string' && typeof value !== 'number') return value;
	const isSecret = values.includes(String(value));
	if (HEADER_NAME.test(field) && isSecret) return MASK;
	if (typeof value === 'string') return inItems.mask(value);
	return isSecret && String(value).length >= MIN_LENGTH_IN_ITEMS ? MASK : value;
}
