import { type Account, toSafeText } from '../secrets/account';
import { isObject } from '../shared/fields';
import { classify } from './classifyResult';
import { ApiError } from './errorClasses';
import { type ApiMessage, extractApiMessage } from './extractApiMessage';
import { parseRetryAfter } from './retryAfter';
import { describePage, isWebPage } from './webPage';

/** The advice if the service refuses a request without a reason. */
const CHECK_PARAMETERS =
	'Check the parameters, and use Get Status to see whether the account is connected.';

/** The same for a request without parameters, which needs nothing but the credential. */
export const CHECK_CREDENTIAL = "Check 'Base URL', 'Client ID' and 'Token' in the credential.";

const SCAN = 'The account is not connected: scan the QR code that Get Status or the service shows.';

/** The length beyond which a message is hard to read where n8n shows it. */
const MAX_MESSAGE_LENGTH = 150;

type HttpResponse = { status: number; headers: Record<string, unknown>; body: unknown };

/** Creates the error for a response with a status other than 2xx. A reason that the service gives replaces the message and its advice. */
export function httpError(response: HttpResponse, account: Account, ifRefused = CHECK_PARAMETERS) {
	const { status, headers, body } = response;
	const isPage = isWebPage(body);
	const { message, advice, kept } = chooseTexts(response, account, ifRefused);
	const said = extractApiMessage(body, account);
	const reason = said?.isReason && kept !== 'both' ? said.text : undefined;
	const quotation = said && `The service says: “${said.text}”.`;
	const retryAfter = parseRetryAfter(headers['retry-after'], Date.now());
	const isAdviceShown = kept !== undefined || !(reason || said?.isDisconnected);
	const sentences = [
		reason ? introduceReason(reason, status) : quotation,
		isPage &&
			`The response was a web page, from something in front of the service${describePage(String(body), headers, account)}.`,
		retryAfter && `The service asks n8n to wait ${Math.ceil(retryAfter / 1000)} s.`,
		said?.isDisconnected && SCAN,
		isAdviceShown && advice,
	];
	return new ApiError(`${reason ? toMessage(reason) : message} (HTTP ${status})`, {
		description: sentences.filter(Boolean).join(' '),
		result: { status, retryAfter },
		isDisconnected: said?.isDisconnected,
		isWebPage: isPage,
	});
}

/** Finds the message and the advice for a response that gives no reason. */
function chooseTexts(response: HttpResponse, account: Account, ifRefused: string): StatusTexts {
	const { status, headers, body } = response;
	if (status >= 300 && status < 400 && status !== 304)
		return describeRedirect(headers.location, account);
	const said = isObject(body) ? body.message : body;
	const text = typeof said === 'string' ? said.slice(0, 1000) : '';
	if (status === 400 && /^http:/i.test(account.baseUrl) && HTTPS_PORT.test(text))
		return { ...FRONT_REFUSED, advice: USE_HTTPS, kept: 'both' };
	// From Cloudflare's firewall, and from AWS API Gateway for a path that it does not know.
	if (status === 403 && /^error code: \d+\s*$/.test(text)) return FRONT_REFUSED;
	if (status === 403 && text === 'Missing Authentication Token')
		return { ...CREDENTIALS_REFUSED, advice: `${CREDENTIALS_REFUSED.advice} ${CHECK_PATH}` };
	if ([400, 401, 403, 405, 406].includes(status) && isWebPage(body)) return FRONT_REFUSED;
	const isRefused = status >= 400 && status < 500 && classify({ status }).delivery === 'notSent';
	const advice = isRefused ? ifRefused : "If this goes on, ask the service's operator.";
	return KNOWN_STATUSES[status] ?? { message: describeStatus(status), advice };
}

/** @example describeStatus(422) // 'The service refused the request' */
function describeStatus(status: number): string {
	// Cloudflare has its own, from 520 to 530.
	if ([502, 504].includes(status) || (status >= 520 && status <= 530))
		return 'A gateway in front of the service got no valid response from it';
	if (status >= 500) return 'The service reported a fault of its own';
	if (status < 400) return 'The service did not respond as expected';
	const isRefused = classify({ status }).delivery === 'notSent';
	return isRefused ? 'The service refused the request' : 'The service did not complete the request';
}

/** Quotes a reason only if it is too long for the message. */
function introduceReason(reason: string, status: number): string {
	const end = reason.length > MAX_MESSAGE_LENGTH ? `: “${reason}”.` : '.';
	return `${describeStatus(status)} and gave this reason${end}`;
}

/** Returns a reason as a message: a long one is cut after its first sentence, or else after a word. */
function toMessage(reason: string): string {
	const start = reason.slice(0, MAX_MESSAGE_LENGTH);
	const [sentence] = /^.{15,}?[.!?](?=\s)/u.exec(start) ?? [];
	const cut = sentence ?? `${start.replace(/\s\S*$/, '').trimEnd()} …`;
	return (reason === start ? reason : cut).replace(/(?<!\.)\.$/, '');
}

/** Further advice: a proxy that does not let n8n connect to the service responds like the service. */
const MAYBE_REFUSED_BY_PROXY =
	' If n8n uses a proxy, it may be the proxy that refuses this address.';

/** `kept` is what a reason of the service does not replace: undefined, nothing; `advice`; or `both`, so that the reason is only quoted. */
type StatusTexts = { message: string; advice: string; kept?: 'advice' | 'both' };

const CREDENTIALS_REFUSED: StatusTexts = {
	message: 'The service refused the credentials',
	advice: "Check 'Client ID' and 'Token' in the credential.",
	kept: 'advice',
};

const CHECK_PATH =
	"If the address is wrong, enter the part before /v1 in 'Base URL' in the credential.";

const KNOWN_STATUSES: Record<number, StatusTexts> = {
	401: CREDENTIALS_REFUSED,
	403: { ...CREDENTIALS_REFUSED, advice: `${CREDENTIALS_REFUSED.advice}${MAYBE_REFUSED_BY_PROXY}` },
	404: { message: 'The service found nothing at this address', advice: CHECK_PATH, kept: 'advice' },
	405: { message: 'The service refused the request', advice: CHECK_PATH, kept: 'advice' },
	407: {
		message: "n8n's proxy requires a login",
		advice:
			'Ask your n8n administrator to add a user name and a password to the address in HTTP_PROXY or HTTPS_PROXY.',
		kept: 'both',
	},
	413: {
		message: 'The image is too large for the service',
		advice: "Make the image smaller. If it is a file, choose Link in 'Send File As'.",
		kept: 'advice',
	},
	429: {
		message: 'Too many requests',
		advice:
			"Wait before the next request. To send to a list, set a longer 'Delay Between Sends (Milliseconds)'.",
		kept: 'advice',
	},
};

const FRONT_REFUSED: StatusTexts = {
	message: 'A web server or proxy in front of the service refused the request',
	advice: `Ask the service's operator to let n8n through. If the page asks for a login, 'Base URL' must be an address without one.${MAYBE_REFUSED_BY_PROXY}`,
};

/** What web servers say of a request without TLS on a port for HTTPS. */
const HTTPS_PORT = /to (an )?HTTPS (port|server)|SSL-enabled server|port requires TLS/i;
const USE_HTTPS =
	"It accepts only HTTPS. Check whether 'Base URL' in the credential should start with https://.";

function describeRedirect(location: unknown, account: Account): StatusTexts {
	const address = String(location ?? '');
	const isAddress = address !== '' && URL.canParse(address, account.baseUrl);
	const origin = isAddress ? new URL(address, account.baseUrl).origin : '';
	const to = /^https?:/.test(origin) ? toSafeText(origin, account) : 'an address it does not name';
	return {
		message: `The service redirects to ${to}, and the redirect was not followed`,
		advice:
			"The client ID and token are only sent to the address in the credential. If the service has moved, change 'Base URL'.",
		kept: 'both',
	};
}

export const ASK_OPERATOR = "Ask the service's operator.";

export const CHECK_ADDRESS =
	"Check 'Base URL' in the credential. If it is right, ask the service's operator: the response is not what these nodes need.";

/** `advice` is what the service itself says about it, or what to check. The reason in its `report` replaces the message. */
type Unexpected = { expected?: string; message?: string; advice?: string; report?: ApiMessage };

/** Creates the error for a 2xx response that cannot be used. @param received describes the response, without secrets */
export function unusableResponseError(received: string, details: Unexpected): ApiError {
	const { expected = 'a response from the messaging service', message, advice, report } = details;
	const { text, isReason, isDisconnected } = report ?? {};
	const title = message ?? 'Unexpected response from the service';
	return new ApiError(isReason && text ? toMessage(text) : title, {
		description: `Expected ${expected}, but received ${received}. ${isDisconnected ? SCAN : (advice ?? CHECK_ADDRESS)}`,
		result: 'unusable',
		isDisconnected,
	});
}
