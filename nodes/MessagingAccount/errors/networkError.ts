import { type Account, toSafeText } from '../secrets/account';
import { isLoopback } from '../shared/loopback';
import { ApiError } from './errorClasses';
import * as codes from './networkCode';

const CHECK_PROXY =
	'Ask whoever runs n8n to check HTTP_PROXY and HTTPS_PROXY, or to add the service to NO_PROXY.';

/** Creates the error for a request without a complete response. @param error of n8n's request helper @param timeout in ms */
export function networkError(
	code: string | undefined,
	error: unknown,
	account: Account,
	timeout: number,
): ApiError {
	const create = (message: string, description: string) =>
		new ApiError(message, { description, result: { code } });
	const origin = toSafeText(new URL(account.baseUrl).origin, account);
	const check = "Check 'Base URL' in the credential, and that the service is running.";
	if (code === undefined) {
		const reported = toSafeText(String((error as Error).message), account);
		return create(`No response from ${origin}`, `n8n reports: ${reported}. ${check}`);
	}
	const proxy = toSafeText(findUnreachedProxy(error, account.baseUrl) ?? '', account);
	if (code === 'ECONNREFUSED') {
		if (proxy) return create(`n8n's proxy ${proxy} refused the connection`, CHECK_PROXY);
		const advice = isLoopback(account.baseUrl) ? `${check} ${CONTAINER}` : check;
		return create(`${origin} refused the connection`, advice);
	}
	if (['ENOTFOUND', 'EAI_AGAIN'].includes(code)) {
		if (proxy) return create(`The address of n8n's proxy, ${proxy}, was not found`, CHECK_PROXY);
		return create(`The address ${origin} was not found`, `${check} ${NETWORK}`);
	}
	if (code.startsWith('HPE_')) {
		const advice = `The network reports: ${code}. Another program may use this port: check the port in 'Base URL' in the credential.`;
		return create(`${origin} did not respond in HTTP`, advice);
	}
	// For an http:// address, only the proxy can speak TLS.
	if ([...codes.CERTIFICATE_REJECTED, codes.NO_TLS].includes(code) && /^http:/.test(origin)) {
		const advice = `The proxy does not accept HTTPS, or n8n does not trust its certificate. ${CHECK_PROXY}`;
		return create('n8n has no HTTPS connection to its proxy', advice);
	}
	if (codes.CERTIFICATE_REJECTED.includes(code)) {
		const advice = `The network reports: ${code}. The service needs a certificate that is valid for this address, from an issuer that n8n trusts. Whoever runs n8n can add a private issuer with NODE_EXTRA_CA_CERTS.`;
		return create(`n8n does not trust the certificate of ${origin}`, advice);
	}
	if (code === codes.NO_TLS) {
		const advice =
			"Check whether 'Base URL' in the credential should start with http:// instead of https://.";
		return create(`${origin} does not accept HTTPS`, advice);
	}
	if (code === codes.BLOCKED_BY_N8N) {
		const advice =
			'Its SSRF protection blocks this address. Ask whoever runs n8n to allow it in N8N_SSRF_ALLOWED_IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES.';
		return create(`n8n does not allow requests to ${origin}`, advice);
	}
	if (code === codes.CANCELED) {
		const message = 'The execution was canceled before the service responded';
		return create(message, 'No further requests were made.');
	}
	if (codes.TIMED_OUT.includes(code)) {
		const message = `The service did not respond within ${Number((timeout / 1000).toPrecision(3))} s`;
		const advice =
			"Check that the service is working. If the node has the option 'Timeout', set a longer one.";
		return create(message, advice);
	}
	const advice = `The network reports: ${code}. ${check}`;
	return create(`The connection to ${origin} was lost before a response arrived`, advice);
}

const CONTAINER =
	'In Docker, this address is the container of n8n itself: enter the name of the service, e.g. http://messaging:3000.';
const NETWORK = 'In Docker, n8n and the service must be in one network.';

/** Node.js's words for a host that it did not reach: an address with its port, or a name that it could not look up. */
const NOT_REACHED =
	/\b(?:connect ECONNREFUSED (\S+):(\d+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+))/;

/**
 * Finds the proxy that n8n could not reach. Reads the texts of the error, because n8n 1 and early versions of n8n 2 pass on nothing else.
 * @returns its name, or its address and port; undefined if the service may be meant, e.g. if it has a name and the proxy the same port
 */
export function findUnreachedProxy(error: unknown, baseUrl: string): string | undefined {
	const [, address, port, name] = NOT_REACHED.exec(listTexts(error).join('\n')) ?? [];
	const service = new URL(baseUrl);
	const host = service.hostname.replace(/^\[|\]$/g, '');
	if (name !== undefined) return name === host ? undefined : name;
	if (address === undefined) return undefined;
	const isAddress = host !== service.hostname || /^[\d.]+$/.test(host);
	const servicePort = service.port || (service.protocol === 'http:' ? '80' : '443');
	const isService = port === servicePort && (!isAddress || address === host);
	return isService ? undefined : `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** Lists the texts of an error. n8n replaces some and keeps the originals. An error about several addresses has one for each. */
function listTexts(error: unknown): string[] {
	if (typeof error !== 'object' || error === null) return [];
	const { message, messages, errors, cause } = error as Record<string, unknown>;
	return [message, messages].flat().map(String).concat([cause, errors].flat().flatMap(listTexts));
}
