import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';
import { ApiError } from './apiError';
import {
	BLOCKED_BY_N8N,
	CANCELED,
	CERTIFICATE_REJECTED,
	CONNECTION_REFUSED,
	HOST_NOT_FOUND,
	NO_TLS,
	TIMED_OUT,
} from './networkCode';

/**
 * Creates the error for a request without a complete response.
 *
 * @param code undefined if unknown
 * @param error what n8n's request helper threw
 * @param timeout in ms, as set for the request
 */
export function networkError(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): ApiError {
	const [message, advice] = describeNetworkCode(code, error, account, timeout);
	return new ApiError(message, { description: advice, result: { code } });
}

function describeNetworkCode(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): [message: string, advice: string] {
	const origin = toSafeText(new URL(account.baseUrl).origin, account);
	const check = "Check 'Base URL' in the credential, and that the service is running.";
	if (code === undefined) {
		const reported = toSafeText(String((error as Error).message), account);
		return [`No response from ${origin}`, `n8n reports: ${reported}. ${check}`];
	}
	if (code === CONNECTION_REFUSED) return [`${origin} refused the connection`, check];
	if (HOST_NOT_FOUND.includes(code)) return [`The address ${origin} was not found`, check];
	if (CERTIFICATE_REJECTED.includes(code)) {
		return [
			`n8n does not trust the certificate of ${origin}`,
			`The network reports: ${code}. The service needs a certificate that is valid for this address, from an issuer that n8n trusts.`,
		];
	}
	if (code === NO_TLS) {
		return [
			`${origin} does not accept HTTPS`,
			"Check whether 'Base URL' in the credential should start with http:// instead of https://.",
		];
	}
	if (code === BLOCKED_BY_N8N) {
		return [
			`n8n does not allow requests to ${origin}`,
			'Its SSRF protection blocks internal addresses. Ask whoever runs n8n to allow this one.',
		];
	}
	if (code === CANCELED) {
		return [
			'The execution was canceled before the service responded',
			'No further requests were made.',
		];
	}
	if (TIMED_OUT.includes(code)) {
		return [
			`The service did not respond within ${Number((timeout / 1000).toPrecision(3))} s`,
			"Check that the service is working. If the node has the option 'Timeout', set a longer one.",
		];
	}
	return [
		`The connection to ${origin} was lost before a response arrived`,
		`The network reports: ${code}. ${check}`,
	];
}
