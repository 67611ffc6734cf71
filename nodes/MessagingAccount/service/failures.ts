import type { Account } from './account';
import { ServiceFailure } from './errors';
import {
	BLOCKED_BY_N8N,
	CANCELED,
	CERTIFICATE_REFUSED,
	NO_TLS,
	NOT_FOUND,
	readRetryAfter,
	REFUSED,
	TIMED_OUT,
} from './outcomes';
import { explanationIn, quote } from './quote';

/** An answer that came with a status code other than 2xx. */
export interface Refusal {
	status: number;
	/** Names in lower case, as Node's HTTP client gives them. */
	headers: Record<string, unknown>;
	body: unknown;
}

/** The failure for an answer with a status code other than 2xx. */
export function failureOfStatus(refusal: Refusal, account: Account): ServiceFailure {
	const { status, headers, body } = refusal;
	const [message, advice] = wordsForStatus(status, headers, account);
	const explanation = explanationIn(body, account);
	const retryAfter = readRetryAfter(headers['retry-after'], Date.now());
	const sentences = [
		explanation && `The service says: “${explanation}”.`,
		retryAfter && `It asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		advice,
	];
	return new ServiceFailure(`${message} (HTTP ${status})`, {
		description: sentences.filter(Boolean).join(' '),
		ending: { status, retryAfter },
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
		return [
			'The service refused the request',
			'Check the parameters, and with Get Status whether the account is connected.',
		];
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
 * The failure for a request that got no whole answer.
 *
 * @param code why, as the network names it
 * @param error what n8n's helper threw
 * @param timeout in ms, as it was set for the request
 */
export function failureOfNetwork(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): ServiceFailure {
	const [message, advice] = wordsForNetworkCode(code, error, account, timeout);
	return new ServiceFailure(message, { description: advice, ending: { code } });
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
	if (code === NO_TLS) {
		return [
			`What answers at ${origin} does not speak https`,
			"Check 'Base URL' in the credential: is it http instead of https?",
		];
	}
	if (code === BLOCKED_BY_N8N) {
		return [
			`n8n does not allow requests to ${origin}`,
			'It is protected from requests to internal addresses (SSRF): whoever runs n8n can allow this one.',
		];
	}
	if (code === CANCELED) {
		return [
			'The execution was canceled before the service answered',
			'Nothing more was requested.',
		];
	}
	if (TIMED_OUT.includes(code)) {
		return [
			`The service did not answer within ${Number((timeout / 1000).toPrecision(3))} s`,
			"See whether the service is in working order. Where the node has the option 'Timeout', a longer one gives it more time.",
		];
	}
	return [
		`The connection to ${origin} broke off before an answer came`,
		`What the network reports: ${code}. ${check}`,
	];
}

/**
 * The failure for a 2xx answer that cannot be used.
 *
 * @param whatCame words for it, without secrets
 * @param expected words for what should have come
 */
export function unusableAnswer(
	whatCame: string,
	expected = 'what the service is documented to answer',
): ServiceFailure {
	return new ServiceFailure('The answer of the service cannot be used', {
		description: `Expected ${expected}, but received ${whatCame}. Check 'Base URL' in the credential, and whether this service is the one that the node is made for.`,
		ending: 'unusable',
	});
}

/**
 * The network code of an error, which n8n's helper passes on at some depth of its causes. Until about 2.30 its error has no
 * cause, the code where it has that of an HTTP status otherwise, and for what n8n does not let through only words.
 */
export function networkCode(error: unknown): string | undefined {
	// By what they have, not by their class: n8n runs nodes in more than one realm and with more than one n8n-workflow.
	for (let at = error as NetworkError | undefined; typeof at === 'object' && at; at = at.cause) {
		const hasWordsOnly = !at.code && !at.cause && !at.httpCode;
		const isBlocked =
			/^SsrfBlocked/.test(String(at.name)) ||
			(hasWordsOnly && /^The request was blocked because /.test(String(at.message)));
		if (isBlocked) return BLOCKED_BY_N8N;
		const code = at.code ?? (at.cause ? undefined : at.httpCode);
		if (code === 'EPROTO' && /wrong version number/i.test(String(at.message))) return NO_TLS;
		if (typeof code === 'string' && !/^\d/.test(code)) return code;
	}
	return undefined;
}

interface NetworkError {
	name?: unknown;
	message?: unknown;
	code?: unknown;
	httpCode?: unknown;
	cause?: NetworkError;
}
