export const CERTIFICATE_REJECTED = `
	CERT_CHAIN_TOO_LONG CERT_HAS_EXPIRED CERT_NOT_YET_VALID CERT_REJECTED CERT_REVOKED CERT_SIGNATURE_FAILURE CERT_UNTRUSTED
	DEPTH_ZERO_SELF_SIGNED_CERT ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH INVALID_CA INVALID_PURPOSE SELF_SIGNED_CERT_IN_CHAIN
	UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_ISSUER_CERT_LOCALLY UNABLE_TO_VERIFY_LEAF_SIGNATURE
`.match(/\w+/g)!;
/**
 * Our own code for HTTPS that was requested from a server that accepts only HTTP. Its answer to the handshake is not TLS, so the waiting
 * request was never encrypted, and Node.js fails its write with EPROTO. If the same happens after the handshake, the request has left: the
 * code is then ERR_SSL_WRONG_VERSION_NUMBER or another ERR_SSL_…, which say nothing about it.
 */
export const NO_TLS = 'NO_TLS';
/** Our own code for requests that n8n's SSRF protection blocks. */
export const BLOCKED_BY_N8N = 'BLOCKED_BY_N8N';
export const TIMED_OUT = ['ECONNABORTED', 'ETIMEDOUT'];
export const CANCELED = 'ERR_CANCELED';

/** Codes for no connection: nothing was sent. EHOSTUNREACH and the like are left out: they can also come while n8n awaits the response. */
export const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];
/** Codes for a request of which nothing was sent, and which would end in the same way again. */
export const NOT_ALLOWED = [...CERTIFICATE_REJECTED, NO_TLS, BLOCKED_BY_N8N];

/**
 * Finds the network code anywhere in the chain of an error's causes. Until about n8n 2.30, the errors of n8n's request helper have no
 * cause: the code is in `httpCode`, and only the message reveals that n8n blocked a request.
 */
export function findNetworkCode(error: unknown): string | undefined {
	// Checks fields, not classes: n8n runs nodes in more than one realm and with more than one n8n-workflow.
	if (typeof error !== 'object' || error === null) return undefined;
	const { name, message, code: ownCode, httpCode, cause } = error as Record<string, unknown>;
	const code = ownCode ?? (cause ? undefined : httpCode);
	const isBlocked = !code && !cause && /^The request was blocked because /.test(String(message));
	if (isBlocked || /^SsrfBlocked/.test(String(name))) return BLOCKED_BY_N8N;
	const ofHandshake = [/\bwrite EPROTO\b/, /wrong version number/i];
	if (code === 'EPROTO' && ofHandshake.every((part) => part.test(String(message)))) return NO_TLS;
	return typeof code === 'string' && !/^\d/.test(code) ? code : findNetworkCode(cause);
}
