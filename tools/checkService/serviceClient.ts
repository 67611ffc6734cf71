import { Agent, fetch } from 'undici';

import { findNetworkCode, TIMED_OUT } from '../../nodes/MessagingAccount/errors/networkCode';
import type { Account } from '../../nodes/MessagingAccount/secrets/account';
import { credentialHeaders } from '../../nodes/MessagingAccount/transport/credential';
import { exchange } from '../../nodes/MessagingAccount/transport/exchange';
import { DEFAULT_TIMEOUT_MS, type Read } from '../../nodes/MessagingAccount/transport/request';

/**
 * Creates the function that makes all requests of the check. Whatever it is asked for, it only sends GET: a check must not change
 * anything. Each request is made once, without the retries of the nodes, so that whoever checks sees every fault.
 *
 * @param timeout in ms, from the connection to the last byte of the response
 * @returns what a `ServiceClient` of the nodes returns, and throws the same errors
 */
export function createRead(account: Account, timeout = DEFAULT_TIMEOUT_MS): Read {
	const dispatcher = new Agent({ connect: { timeout }, pipelining: 0 });
	return async (request) => {
		const send = async (signal: AbortSignal) => {
			const response = await fetch(`${account.baseUrl}${request.path}`, {
				method: 'GET',
				headers: { accept: 'application/json', ...credentialHeaders(account) },
				redirect: 'manual',
				signal,
				dispatcher,
			}).catch((error: Error) => Promise.reject(toNodeError(error)));
			return {
				statusCode: response.status,
				headers: Object.fromEntries(response.headers),
				body: readChunks((response.body ?? []) as AsyncIterable<Uint8Array>),
			};
		};
		return await exchange(send, account, request, timeout);
	};
}

async function* readChunks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
	try {
		for await (const chunk of body) yield Buffer.from(chunk);
	} catch (error) {
		throw toNodeError(error as Error);
	}
}

/** The codes of `fetch` that Node's HTTP client, which n8n uses, has other names for. */
const NODE_CODES: Record<string, string> = {
	UND_ERR_CONNECT_TIMEOUT: TIMED_OUT[0],
	UND_ERR_SOCKET: 'ECONNRESET',
	// Nothing is sent before the handshake is done, so this is the answer to the handshake.
	ERR_SSL_WRONG_VERSION_NUMBER: 'NO_TLS',
};

function toNodeError(error: Error): unknown {
	const code = NODE_CODES[findNetworkCode(error) ?? ''];
	return code === undefined ? (error.cause ?? error) : Object.assign(error, { code });
}
