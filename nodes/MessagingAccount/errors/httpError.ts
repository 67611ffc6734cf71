import type { Account } from '../shared/account';
import { toSafeText } from '../shared/redaction';
import { classify } from './classifyResult';
import { ApiError } from './errorClasses';
import { extractApiMessage, type ApiMessage } from './extractApiMessage';
import { parseRetryAfter } from './retryAfter';

/** What to do if the service refuses a request without saying why. */
const CHECK_PARAMETERS =
	'Check the parameters, and use Get Status to see whether the account is connected.';

/** The same for the status itself: its request has no parameters, and another one would tell no more. */
export const CHECK_CREDENTIAL = "Check 'Base URL', 'Client ID' and 'Token' in the credential.";

/**
 * Creates the error for a response with a status code other than 2xx.
 *
 * @param response the names of its headers are in lower case
 */
export function httpError(
	{ status, headers, body }: { status: number; headers: Record<string, unknown>; body: unknown },
	account: Account,
	adviceIfRefused = CHECK_PARAMETERS,
): ApiError {
	const apiMessage = extractApiMessage(body, account);
	const isRedirect = status >= 300 && status < 400 && status !== 304;
	const { message, reason, advice } = isRedirect
		? describeRedirect(headers.location, account)
		: (KNOWN_STATUSES[status] ?? describeStatusClass(status, apiMessage, adviceIfRefused));
	const retryAfter = parseRetryAfter(headers['retry-after'], Date.now());
	const sentences = [
		reason ?? (apiMessage && `The service says: “${apiMessage.text}”.`),
		retryAfter && `The service asks to wait ${Math.ceil(retryAfter / 1000)} s.`,
		advice,
	];
	return new ApiError(`${message} (HTTP ${status})`, {
		description: sentences.filter(Boolean).join(' '),
		result: { status, retryAfter },
	});
}

/** A proxy that does not let n8n connect to the service says so with a response that looks like one of the service. */
const MAYBE_PROXY = ' If n8n uses a proxy, it may be the proxy that refuses this address.';

interface StatusTexts {
	message: string;
	/** Replaces the quotation of the service. */
	reason?: string;
	advice?: string;
}

const REFUSED: StatusTexts = {
	message: 'The service refused the credentials',
	advice: "Check 'Client ID' and 'Token' in the credential.",
};

/** Statuses that say why and what to do. The service's own words come after that. */
const KNOWN_STATUSES: Record<number, StatusTexts> = {
	401: REFUSED,
	403: { ...REFUSED, advice: `${REFUSED.advice}${MAYBE_PROXY}` },
	404: {
		message: 'The service found nothing at this address',
		advice: "Check 'Base URL' in the credential: enter the part before /v1.",
	},
	407: {
		message: "n8n's proxy requires a login",
		advice:
			'Ask whoever runs n8n to add a user name and a password to the address in HTTP_PROXY or HTTPS_PROXY.',
	},
	429: { message: 'Too many requests', advice: 'Wait before the next request.' },
};

function describeRedirect(location: unknown, account: Account): StatusTexts {
	const address = String(location ?? '');
	const canParse = address !== '' && URL.canParse(address, account.baseUrl);
	const target = canParse ? new URL(address, account.baseUrl) : undefined;
	const isNamed = target && /^https?:$/.test(target.protocol);
	const origin = isNamed ? toSafeText(target.origin, account) : 'an address it does not name';
	return {
		message: `The service redirects to ${origin}, and the redirect was not followed`,
		advice:
			"The client ID and token are only sent to the address in the credential. If the service has moved, change 'Base URL'.",
	};
}

/** Describes any other status. If the service says why, that comes first, and there is no advice of ours. */
function describeStatusClass(
	status: number,
	apiMessage: ApiMessage | undefined,
	adviceIfRefused: string,
): StatusTexts {
	const isOfClient = status >= 400 && status < 500;
	const isRefused = isOfClient && classify({ status }).delivery === 'notSent';
	const happened = isRefused
		? 'The service refused the request'
		: isOfClient
			? 'The service did not complete the request'
			: 'The service did not respond as expected';
	const advice = isOfClient ? adviceIfRefused : 'Check that the service is working.';
	if (!apiMessage?.isReason) return { message: happened, advice };
	if (!apiMessage.isShort) return { message: happened };
	const message = apiMessage.text.replace(/(?<!\.)\.$/, '');
	return { message, reason: `${happened} and gave this reason.` };
}

const CHECK_ADDRESS =
	"Check 'Base URL' in the credential, and that it leads to the service this node is made for.";

/**
 * Creates the error for a 2xx response that cannot be used.
 *
 * @param received describes what came, without secrets
 * @param expected describes what should have come
 * @param advice what the service itself says about it, or what to check
 */
export function unexpectedResponseError(
	received: string,
	expected = 'a response of the messaging service',
	advice = CHECK_ADDRESS,
): ApiError {
	return new ApiError('Unexpected response from the service', {
		description: `Expected ${expected}, but received ${received}. ${advice}`,
		result: 'unusable',
	});
}
