/** Whether a recipient can have the message after a failed send; see "When something goes wrong" in the README. */
export type Delivery = 'notSent' | 'unknown';

/** Every way a request can end. */
export type Ending =
	/** A 2xx answer came that cannot be made sense of, or lacks what was asked for. */
	| 'unusable'
	| {
			/** Of the answer that came. */
			status: number;
			/** ms that the service asks to wait, where it does. */
			retryAfter?: number;
	  }
	| {
			/** The network code that n8n's helper passes on where no whole answer came. */
			code: string | undefined;
	  };

export interface Outcome {
	delivery: 'done' | Delivery;
	/** Which requests are worth another try: none, those that only read, or sends too. */
	tryAgain: 'never' | 'reads' | 'always';
}

export const REFUSED = 'ECONNREFUSED';
export const NOT_FOUND = ['ENOTFOUND', 'EAI_AGAIN'];
export const CERTIFICATE_REFUSED = [
	'CERT_CHAIN_TOO_LONG',
	'CERT_HAS_EXPIRED',
	'CERT_NOT_YET_VALID',
	'CERT_REJECTED',
	'CERT_REVOKED',
	'CERT_SIGNATURE_FAILURE',
	'CERT_UNTRUSTED',
	'DEPTH_ZERO_SELF_SIGNED_CERT',
	'ERR_TLS_CERT_ALTNAME_INVALID',
	'HOSTNAME_MISMATCH',
	'INVALID_CA',
	'INVALID_PURPOSE',
	'SELF_SIGNED_CERT_IN_CHAIN',
	'UNABLE_TO_GET_ISSUER_CERT',
	'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
	'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
/** https where http is spoken. */
export const NO_TLS = 'ERR_SSL_WRONG_VERSION_NUMBER';
/** Our word for what n8n itself does not let through (its SSRF protection). */
export const BLOCKED_BY_N8N = 'BLOCKED_BY_N8N';
export const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];
export const CANCELED = 'ERR_CANCELED';

/**
 * The one classification of how a request ended. What it must keep: a send is worth another try only where the service
 * cannot have it, and `notSent` is said only where that is certain.
 */
export function outcomeOf(ending: Ending): Outcome {
	if (ending === 'unusable') return { delivery: 'unknown', tryAgain: 'never' };
	return 'status' in ending ? outcomeOfAnswer(ending) : outcomeOfNoAnswer(ending.code);
}

function outcomeOfAnswer({ status, retryAfter }: Extract<Ending, { status: number }>): Outcome {
	if (status >= 200 && status < 300) return { delivery: 'done', tryAgain: 'never' };
	if (status === 429) return { delivery: 'notSent', tryAgain: 'always' };
	if (status >= 300 && status < 500) return { delivery: 'notSent', tryAgain: 'never' };
	// A service that turns requests away on purpose; every other 5xx may come after the work was done.
	if (status === 503 && retryAfter !== undefined) {
		return { delivery: 'notSent', tryAgain: 'always' };
	}
	return { delivery: 'unknown', tryAgain: 'reads' };
}

function outcomeOfNoAnswer(code: string | undefined): Outcome {
	// Never connected: not a byte of the request has left. EHOSTUNREACH and its like can also come while an answer is
	// awaited.
	if (code === REFUSED || isOneOf(NOT_FOUND, code)) {
		return { delivery: 'notSent', tryAgain: 'always' };
	}
	if (isOneOf([...CERTIFICATE_REFUSED, NO_TLS, BLOCKED_BY_N8N], code)) {
		return { delivery: 'notSent', tryAgain: 'never' };
	}
	const isPassing = code !== undefined && code !== CANCELED;
	return { delivery: 'unknown', tryAgain: isPassing ? 'reads' : 'never' };
}

function isOneOf(codes: string[], code: string | undefined): boolean {
	return code !== undefined && codes.includes(code);
}

/**
 * Reads the header `Retry-After` in both of its forms (RFC 9110, 10.2.3).
 *
 * @param now in ms since 1970
 * @returns ms to wait; undefined where the header is absent or cannot be read
 */
export function readRetryAfter(value: unknown, now: number): number | undefined {
	const text = String(value ?? '').trim();
	if (/^\d+$/.test(text)) return Number(text) * 1000;
	// Dates of HTTP have letters in them; Date.parse would also make something of "-1" or "1.5".
	const date = /^[a-z]/i.test(text) ? Date.parse(text) : NaN;
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
