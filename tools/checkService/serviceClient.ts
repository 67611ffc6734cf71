import { Agent, fetch } from 'undici';

import { ApiError } from '../../nodes/MessagingAccount/errors/apiError';
import { classify } from '../../nodes/MessagingAccount/errors/classifyResult';
import { httpError } from '../../nodes/MessagingAccount/errors/httpError';
import {
	findNetworkCode,
	NO_TLS,
	TIMED_OUT,
} from '../../nodes/MessagingAccount/errors/networkCode';
import { networkError } from '../../nodes/MessagingAccount/errors/networkError';
import { unexpectedResponseError } from '../../nodes/MessagingAccount/errors/unexpectedResponseError';
import type { Account } from '../../nodes/MessagingAccount/shared/account';
import { credentialHeaders } from '../../nodes/MessagingAccount/transport/credential';
import { DEFAULT_TIMEOUT_MS, type Read } from '../../nodes/MessagingAccount/transport/request';
import {
	MAX_ERROR_BYTES,
	parseBody,
	readBody,
	sanitizeForItems,
} from '../../nodes/MessagingAccount/transport/responseBody';

/**
 * Creates the function that makes all requests of the check. Whatever it is asked for, it only sends GET: a check must not change
 * anything. Each request is made once, without the retries of the nodes, so that whoever checks sees every fault.
 *
 * @param timeout in ms, from the connection to the last byte of the response
 * @returns what `apiRequest` of the nodes returns, and throws the same errors
 */
export function createRead(account: Account, timeout = DEFAULT_TIMEOUT_MS): Read {
	const dispatcher = new Agent({ connect: { timeout }, pipelining: 0 });
	return async ({ path, maxResponseBytes }) => {
		try {
			const response = await fetch(`${account.baseUrl}${path}`, {
				method: 'GET',
				headers: { accept: 'application/json', ...credentialHeaders(account) },
				redirect: 'manual',
				signal: AbortSignal.timeout(timeout),
				dispatcher,
			});
			const { status } = response;
			const stream = (response.body ?? []) as AsyncIterable<Buffer>;
			if (classify({ status }).delivery === 'done') {
				const body = parseBody(await readBody(stream, maxResponseBytes));
				return { body: await sanitizeForItems(body, account), account };
			}
			const headers = Object.fromEntries(response.headers);
			// The status alone decides: a body that cannot be read must not hide it.
			const text = await readBody(stream, MAX_ERROR_BYTES).catch(() => '');
			throw httpError({ status, headers, body: parseBody(text) }, account);
		} catch (error) {
			throw toApiError(error as Error, account, timeout);
		}
	};
}

/** The codes of `fetch` that Node's HTTP client, which n8n uses, has other names for. */
const NODE_CODES: Record<string, string> = {
	UND_ERR_CONNECT_TIMEOUT: TIMED_OUT[0],
	UND_ERR_SOCKET: 'ECONNRESET',
	// Nothing is sent before the handshake is done, so this is the answer to the handshake.
	ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
};

function toApiError(error: Error, account: Account, timeout: number): ApiError {
	if (error instanceof ApiError) return error;
	const found = error.name === 'TimeoutError' ? TIMED_OUT[0] : findNetworkCode(error);
	if (found?.startsWith('Z_')) return unexpectedResponseError('a body that cannot be decompressed');
	const code = found && (NODE_CODES[found] ?? found);
	return networkError(code, error.cause ?? error, account, timeout);
}
