import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';
import { CHECK_PARAMETERS } from './advice';
import { ApiError } from './apiError';
import { classify } from './classifyResult';
import { extractApiMessage } from './extractApiMessage';
import { parseRetryAfter } from './retryAfter';

/** A response with a status code other than 2xx. */
export interface ErrorResponse {
	status: number;
	/** Names in lower case, as Node's HTTP client returns them. */
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Creates the error for a response with a status code other than 2xx.
 *
 * @param adviceIfRefused what to do if the service refuses the request without saying why
 */
export function httpError(
	response: ErrorResponse,
	account: Account,
	adviceIfRefused = CHECK_PARAMETERS,
): ApiError {
	const { status, headers, body } = response;
	const [message, advice] = describeStatus(status, headers, account, adviceIfRefused);
	const apiMessage = extractApiMessage(body, account);
	const retryAfter = parseRetryAfter(headers['retry-after'], Date.now());
	const sentences = [
		apiMessage && `The service says: “${apiMessage}”.`,
		retryAfter && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		advice,
	];
	return new ApiError(`${message} (HTTP ${status})`, {
		description: sentences.filter(Boolean).join(' '),
		result: { status, retryAfter },
	});
}

function describeStatus(
	status: number,
	headers: Record<string, unknown>,
	account: Account,
	adviceIfRefused: string,
): [message: string, advice: string] {
	if (status >= 300 && status < 400 && status !== 304) {
		return [
			`The service redirects to ${getRedirectOrigin(headers.location, account)}, and the redirect was not followed`,
			"The client ID and token are only sent to the address in the credential. If the service has moved, change 'Base URL'.",
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
			'The service found nothing at this address',
			"Check 'Base URL' in the credential: enter the part before /v1.",
		];
	}
	if (status === 429) {
		return ['Too many requests', 'Wait before the next request.'];
	}
	if (status >= 400 && status < 500) {
		const isRefused = classify({ status }).delivery === 'notSent';
		return [
			`The service ${isRefused ? 'refused' : 'did not complete'} the request`,
			adviceIfRefused,
		];
	}
	return ['The service did not respond as expected', 'Check that the service is working.'];
}

function getRedirectOrigin(location: unknown, account: Account): string {
	const target = String(location ?? '');
	if (target !== '' && URL.canParse(target, account.baseUrl)) {
		const { protocol, origin } = new URL(target, account.baseUrl);
		if (/^https?:$/.test(protocol)) return toSafeText(origin, account);
	}
	return 'an address it does not name';
}
