import type { Account } from './account';
import { explanationIn, quote } from './quote';

/** Whether a recipient can have the message after a failed send; see "When something goes wrong" in the README. */
export type Delivery = 'notSent' | 'unknown';

/** Something the user entered cannot be used. Nothing was requested. */
export class InvalidInput extends Error {
	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
	}
}

/** A request was made, and did not end in a usable answer. */
export class ServiceFailure extends Error {
	readonly description: string;
	readonly httpCode?: string;
	/** What the outcome would be if the request was a send. */
	readonly delivery: Delivery;

	constructor(
		message: string,
		details: { description: string; delivery: Delivery; httpCode?: string },
	) {
		super(message);
		this.description = details.description;
		this.httpCode = details.httpCode;
		this.delivery = details.delivery;
	}
}

/** An answer that came with a status code other than 2xx. */
export interface Refusal {
	status: number;
	/** Names in lower case, as Node's HTTP client gives them. */
	headers: Record<string, unknown>;
	body: unknown;
}

const REFUSED = 'ECONNREFUSED';
const NOT_FOUND = ['ENOTFOUND', 'EAI_AGAIN'];
const CERTIFICATE_REFUSED = [
	'CERT_HAS_EXPIRED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

/**
 * Network codes of a connection that was never made: not a byte of the request has left. Codes such as EHOSTUNREACH are
 * not among them, because they can also come while an answer is awaited.
 */
const NEVER_CONNECTED = [REFUSED, ...NOT_FOUND, ...CERTIFICATE_REFUSED];

const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];

/**
 * Can the service have the message, after an answer with this status code?
 * 503 with `Retry-After` is a service that turns requests away on purpose; every other 5xx may come after the work.
 */
export function deliveryAfterStatus(status: number, headers: Record<string, unknown>): Delivery {
	if (status >= 300 && status < 500) return 'notSent';
	if (status === 503 && headers['retry-after']) return 'notSent';
	return 'unknown';
}

/** Can the service have the message, after the connection ended with this network code? */
export function deliveryAfterNetworkCode(code: string | undefined): Delivery {
	return code !== undefined && NEVER_CONNECTED.includes(code) ? 'notSent' : 'unknown';
}

/** The failure for an answer with a status code other than 2xx. */
export function failureOfStatus(refusal: Refusal, account: Account): ServiceFailure {
	const { status, headers, body } = refusal;
	const [message, advice] = wordsForStatus(status, headers, account);
	const explanation = explanationIn(body, account);
	return new ServiceFailure(`${message} (HTTP ${status})`, {
		description: explanation ? `The service says: “${explanation}”. ${advice}` : advice,
		httpCode: String(status),
		delivery: deliveryAfterStatus(status, headers),
	});
}

function wordsForStatus(
	status: number,
	headers: Record<string, unknown>,
	account: Account,
): [message: string, advice: string] {
	if (status >= 300 && status < 400) {
		return [
			`The service redirects to ${redirectTarget(headers.location, account)}, which was not followed`,
			"The client ID and token are only sent to the address in the credential. If the service has moved there, change 'Base URL'.",
		];
	}
	if (status === 401 || status === 403) {
		return [
			'The service refused the credentials',
			"Check 'Client ID' and 'Token' in the credential.",
		];
	}
	if (status === 404) {
		return [
			'The service has nothing at this address',
			"Check 'Base URL' in the credential: it is what comes before /v1.",
		];
	}
	if (status === 429) {
		return ['The service asks for fewer requests', 'Wait a while before the next request.'];
	}
	if (status < 500) {
		return ['The service refused the request', 'Check the values of this item.'];
	}
	return ['The service could not answer', 'See whether the service is in working order.'];
}

function redirectTarget(location: unknown, account: Account): string {
	const target = String(location ?? '');
	if (target !== '' && URL.canParse(target, account.baseUrl)) {
		const { protocol, origin } = new URL(target, account.baseUrl);
		if (/^https?:$/.test(protocol)) return quote(origin, account);
	}
	return 'an address it does not name';
}

/**
 * The failure for a request that got no answer.
 *
 * @param timeout in ms, as it was set for the request
 */
export function failureOfNetwork(
	error: unknown,
	account: Account,
	timeout: number,
): ServiceFailure {
	const code = networkCode(error);
	const [message, advice] = wordsForNetworkCode(code, error, account, timeout);
	return new ServiceFailure(message, {
		description: advice,
		delivery: deliveryAfterNetworkCode(code),
	});
}

function wordsForNetworkCode(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): [message: string, advice: string] {
	const origin = quote(new URL(account.baseUrl).origin, account);
	const check = "Check 'Base URL' in the credential, and that the service is running.";
	if (code === undefined) {
		const said = quote(String((error as Error).message), account);
		return [`The request to ${origin} got no answer`, `What n8n reports: ${said}. ${check}`];
	}
	if (code === REFUSED) {
		return [`No service answers at ${origin}: it refused the connection`, check];
	}
	if (NOT_FOUND.includes(code)) return [`The address ${origin} cannot be found`, check];
	if (CERTIFICATE_REFUSED.includes(code)) {
		return [
			`The certificate of ${origin} is not accepted`,
			`What the network reports: ${code}. The service needs a valid certificate for this address.`,
		];
	}
	if (TIMED_OUT.includes(code)) {
		return [
			`The service did not answer within ${timeout / 1000} s`,
			"See whether the service is in working order, or set a longer 'Timeout'.",
		];
	}
	return [
		`The connection to ${origin} broke off before an answer came`,
		`What the network reports: ${code}. ${check}`,
	];
}

/** The network code of an error, which n8n's helper passes on at some depth of its causes. */
export function networkCode(error: unknown): string | undefined {
	for (let at = error; at instanceof Error; at = at.cause) {
		if ('code' in at && typeof at.code === 'string') return at.code;
	}
	return undefined;
}
