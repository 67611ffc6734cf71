import { InvalidInput } from './errors';
import { secretsOf, type Secrets } from './secrets';

/** The account a request is made for: where the service is, and what proves who asks. */
export interface Account {
	/** Absolute, without trailing slashes and without the version segment. */
	baseUrl: string;
	/** The values of the two headers that every request carries. */
	clientId: string;
	token: string;
	/** What finds these two wherever the service repeats them. */
	secrets: Secrets;
}

/**
 * What is forgiven at the end of a Base URL: slashes, and one `/v1`, because people paste the address of an endpoint.
 * The credential's test uses it too, inside an n8n expression.
 */
export const FORGIVEN_URL_ENDING = /\/*(\/v1)?\/*$/;

const PRINTABLE_ASCII = /^[\x20-\x7e]+$/;

/**
 * Reads the decrypted fields of the credential.
 *
 * @throws InvalidInput naming the field, never its value
 */
export function readAccount(credential: Record<string, unknown>): Account {
	const baseUrl = readBaseUrl(credential.baseUrl);
	const clientId = readHeaderValue(credential.clientId, 'Client ID');
	const token = readHeaderValue(credential.token, 'Token');
	return { baseUrl, clientId, token, secrets: secretsOf({ clientId, token }) };
}

/** The two headers of section 5 of the service's document. */
export function credentialHeaders({ clientId, token }: Pick<Account, 'clientId' | 'token'>) {
	return { 'client-id': clientId, token };
}

function readBaseUrl(value: unknown): string {
	const baseUrl = String(value ?? '')
		.trim()
		.replace(FORGIVEN_URL_ENDING, '');
	if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
		throw new InvalidInput(
			"'Base URL' in the credential is not a web address",
			'Enter the address of the service with http:// or https://, e.g. https://messaging.example.com',
		);
	}
	if (/[?#]/.test(baseUrl)) {
		throw new InvalidInput(
			"'Base URL' in the credential has more than an address",
			'Leave out everything from the first ? or # on.',
		);
	}
	return baseUrl;
}

/** A header with anything but printable ASCII is refused by the HTTP client, with the value in its message. */
export function readHeaderValue(value: unknown, field: 'Client ID' | 'Token'): string {
	const text = String(value ?? '');
	if (text.trim() === '') {
		throw new InvalidInput(
			`'${field}' in the credential is empty`,
			'Enter the value that the service gave you.',
		);
	}
	if (!PRINTABLE_ASCII.test(text)) {
		throw new InvalidInput(
			`'${field}' in the credential has characters that cannot be sent`,
			'Only letters, digits and signs of plain ASCII are possible: look for line breaks, accents or typographic quotes that came along when it was pasted.',
		);
	}
	return text;
}
