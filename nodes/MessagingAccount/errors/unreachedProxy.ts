/** How Node.js names whom it did not reach: an address with its port, or a name that it could not look up. */
const NOT_REACHED =
	/\b(?:connect ECONNREFUSED (\S+):(\d+)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S+))/;

/**
 * Finds the proxy that n8n could not reach. Reads the texts of the error, because n8n 1 and early versions of n8n 2 pass on
 * nothing else.
 *
 * @param error what n8n's request helper threw
 * @param baseUrl address of the service
 * @returns its name, or its address and port; undefined if the service itself may be meant, e.g. if it has a name and the proxy
 * the same port
 */
export function findUnreachedProxy(error: unknown, baseUrl: string): string | undefined {
	const [, address, port, name] = NOT_REACHED.exec(listTexts(error).join('\n')) ?? [];
	const service = new URL(baseUrl);
	const host = service.hostname.replace(/^\[|\]$/g, '');
	if (name !== undefined) return name === host ? undefined : name;
	if (address === undefined) return undefined;
	const isAddress = host !== service.hostname || /^[\d.]+$/.test(host);
	const isService =
		port === (service.port || DEFAULT_PORTS[service.protocol]) && (!isAddress || address === host);
	return isService ? undefined : `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** n8n replaces some messages, and keeps what they were. An error about several addresses of one host has one for each. */
function listTexts(error: unknown): string[] {
	if (typeof error !== 'object' || error === null) return [];
	const { message, messages, errors, cause } = error as Record<string, unknown>;
	return [message, ...toList(messages)]
		.map(String)
		.concat([cause, ...toList(errors)].flatMap(listTexts));
}

function toList(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}
