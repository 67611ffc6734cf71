/** Codes for a certificate that n8n rejects, by the sentence on what is wrong with it, if they say so. */
const CERTIFICATE_CODES = {
	'This one has expired.': 'CERT_HAS_EXPIRED',
	'This one is not valid yet.': 'CERT_NOT_YET_VALID',
	'This one was revoked.': 'CERT_REVOKED',
	'This one is for another address.': 'ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH',
	'This one has an issuer that n8n does not know.':
		'DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE',
};
/** Other such codes, as OpenSSL names them. */
const CERTIFICATE_CODE =
	/^(CERT|CRL|ERROR_IN_C(ERT|RL)|UNABLE_TO_(DECODE|DECRYPT|GET))_|^(INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|UNSPECIFIED)$/;
/** Returns the sentence on a certificate, maybe empty; undefined if the code is about something else. */
export function findCertificateFault(code: string): string | undefined {
	const isNamed = ([, codes]: string[]) => codes.split(' ').includes(code);
	const named = Object.entries(CERTIFICATE_CODES).find(isNamed)?.[0];
	return named ?? (CERTIFICATE_CODE.test(code) ? '' : undefined);
}

/** It wants a client certificate. In TLS 1.3, a server misses it behind the handshake, but ends that (RFC 8446, 4.4.2.4): it reads no request. */
export const UNKNOWN_CLIENT = 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED';
/**
 * Codes for a TLS handshake that failed, three of our own: the other side has no TLS, no version or cipher of n8n's, or no certificate for
 * the name. Then the waiting request was never encrypted, and Node.js fails its write with EPROTO. After the handshake, the code is
 * ERR_SSL_WRONG_VERSION_NUMBER or another ERR_SSL_…, and the request has left. Node.js offers no certificate later (RFC 8446, 4.6.2).
 */
export const HANDSHAKE_FAILED = ['NO_TLS', 'NO_HANDSHAKE', 'NO_SUCH_NAME', UNKNOWN_CLIENT];
export const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];
export const CANCELED = 'ERR_CANCELED';

/**
 * Codes for no connection: nothing was sent. NOT_SECURED is our own for one that ends before the TLS handshake does: Node.js says so only
 * as long as nothing may be encrypted. EHOSTUNREACH and the like are left out: they can also come while n8n awaits the response.
 */
export const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'NOT_SECURED'];
/** Whether nothing of the request was sent, and it would end in the same way again. */
export const isNotAllowed = (code: string) =>
	findCertificateFault(code) !== undefined ||
	[...HANDSHAKE_FAILED, 'BLOCKED_BY_N8N'].includes(code);

/** Finds the network code anywhere in the chain of an error's causes. */
export function findNetworkCode(error: unknown): string | undefined {
	// Checks fields, not classes: n8n runs nodes in more than one realm and with more than one n8n-workflow.
	if (typeof error !== 'object' || error === null) return undefined;
	const { name, message, code: ownCode, httpCode, cause } = error as Record<string, unknown>;
	const text = String(message);
	// Until about n8n 2.30, the errors of n8n's request helper have no cause: the code is in `httpCode`, and only the text reveals a block.
	const code = ownCode ?? (cause ? undefined : httpCode);
	const isBlocked = !code && !cause && text.startsWith('The request was blocked because ');
	if (isBlocked || /^SsrfBlocked/.test(String(name))) return 'BLOCKED_BY_N8N';
	if (code === 'EPROTO' && /\bwrite EPROTO\b/.test(text)) {
		if (/wrong version number/i.test(text)) return 'NO_TLS';
		// RFC 8446, 6.2: “internal_error” and “unrecognized_name” are how servers say that they have no certificate for a name.
		if (/alert number (80|112)\b/.test(text)) return 'NO_SUCH_NAME';
		return /certificate|unknown ca\b/i.test(text) ? UNKNOWN_CLIENT : 'NO_HANDSHAKE';
	}
	if (/ before secure TLS connection was established$/.test(text)) return 'NOT_SECURED';
	return typeof code === 'string' && !/^\d/.test(code) ? code : findNetworkCode(cause);
}

/** Says in a few words how a request ended, without its code. @example toReason('ECONNRESET') // 'the connection was lost' */
export function toReason(code: string | undefined): string {
	if (code === undefined) return 'no response';
	if (code === CANCELED) return 'the execution was stopped';
	return TIMED_OUT.includes(code) ? 'no response in time' : 'the connection was lost';
}
