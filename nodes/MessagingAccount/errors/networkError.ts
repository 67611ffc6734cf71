import { type Account, toSafeText } from '../secrets/account';
import { isLoopback } from '../shared/webAddress';
import { ApiError } from './errorClasses';
import * as codes from './networkCode';

const CHECK = "Check 'Base URL' in the credential, and that the service is running.";
const MAYBE_PROXY =
	'If n8n uses a proxy, the proxy may be meant: your n8n administrator can check HTTP_PROXY, HTTPS_PROXY and NO_PROXY.';
const CHECK_PROXY =
	'Ask your n8n administrator to check HTTP_PROXY and HTTPS_PROXY, or to add the service to NO_PROXY.';

const NOT_FOUND = `The address … was not found\n${CHECK} ${MAYBE_PROXY} In Docker, n8n and the service must be in one network.`;
const REFUSED = `… refused the connection\n${CHECK} ${MAYBE_PROXY}`;
const REFUSED_BY_LOOPBACK = `… refused the connection\n${CHECK} ${MAYBE_PROXY} In Docker, this address is the container of n8n itself: enter the name of the service, e.g. http://messaging:3000.`;

/** By code: the message, with … for the service's address, and in the next line the advice. n8n would replace a text that names the code. */
const TEXTS: Record<string, string | undefined> = {
	ECONNREFUSED: REFUSED,
	ENOTFOUND: NOT_FOUND,
	EAI_AGAIN: NOT_FOUND,
	EAI_FAIL: NOT_FOUND,
	HPE_INVALID_CONSTANT:
		"… did not respond in HTTP\nAnother program may use this port, or it may be for HTTPS: check the port in 'Base URL' in the credential, and whether it should start with https://.",
	HPE_HEADER_OVERFLOW:
		"The headers in the response of … are too long\nAsk the service's operator, e.g. for fewer cookies.",
	NO_TLS:
		"… does not accept HTTPS\nCheck whether 'Base URL' in the credential should start with http:// instead of https://.",
	[codes.UNKNOWN_CLIENT]:
		"… wants a client certificate\nn8n has none: ask the service's operator for an address without.",
	NO_SUCH_NAME:
		"… has no certificate for this name\nCheck the host in 'Base URL' in the credential.",
	NO_HANDSHAKE:
		"n8n and … found no common TLS version or cipher\nAsk the service's operator to offer TLS 1.2 or 1.3. Some servers also respond like this if they want a client certificate, which n8n does not have.",
	NOT_SECURED: `… closed the connection before it was encrypted\n${CHECK}`,
	BLOCKED_BY_N8N:
		'n8n does not allow requests to …\nIts SSRF protection blocks this address. Ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES.',
	[codes.CANCELED]:
		'The execution was canceled before the service responded\nNo further requests were made.',
};
const NOT_HTTP =
	"The response of … is not valid HTTP\nAsk the service's operator: a proxy in front of it may be the cause.";
const LOST =
	"The connection to … was lost before the service responded\nIf this happens each time, check 'Base URL' in the credential. If it happens often, ask the service's operator.";
const PROXY_NOT_SECURED = `n8n has no HTTPS connection to its proxy\nThe proxy does not accept HTTPS, or n8n does not trust its certificate. ${CHECK_PROXY}`;
const UNTRUSTED =
	'n8n does not trust the certificate of …\nThe service needs a certificate that is valid for this address, from an issuer that n8n trusts. Your n8n administrator can add a private issuer with NODE_EXTRA_CA_CERTS.';

/** Creates the error for a request without a complete response. @param error of n8n's request helper @param timeout in ms */
export function networkError(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): ApiError {
	const text =
		code === undefined
			? `No response from …\nn8n reports: ${toSafeText(String((error as Error).message), account)}. ${CHECK}`
			: describeCode(code, account, timeout);
	const [message, description] = text.split('\n');
	const origin = toSafeText(new URL(account.baseUrl).origin, account);
	const title = message.replace('…', () => origin);
	return new ApiError(title, { description, result: { code } });
}

function describeCode(code: string, { baseUrl }: Account, timeout: number): string {
	if (code === 'ECONNREFUSED' && isLoopback(baseUrl)) return REFUSED_BY_LOOPBACK;
	if (codes.TIMED_OUT.includes(code)) {
		const seconds = Number((timeout / 1000).toPrecision(3));
		return `The service did not respond within ${seconds} s\nCheck that the service is working. If the node has the option 'Timeout (Milliseconds)', set a longer one.`;
	}
	const fault = codes.findCertificateFault(code);
	const isOfTls = fault !== undefined || codes.HANDSHAKE_FAILED.includes(code);
	// For an http:// address, only the proxy can speak TLS.
	if (/^http:/i.test(baseUrl) && isOfTls) return PROXY_NOT_SECURED;
	if (fault !== undefined) return fault ? `${UNTRUSTED} ${fault}` : UNTRUSTED;
	return TEXTS[code] ?? (code.startsWith('HPE_') ? NOT_HTTP : LOST);
}
