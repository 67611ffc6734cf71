import type {
	IAllExecuteFunctions,
	ICredentialsDecrypted,
	IDataObject,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { ApiError } from '../errors/apiError';
import { classify } from '../errors/classifyResult';
import { httpError } from '../errors/httpError';
import { CANCELED, findNetworkCode, TIMED_OUT } from '../errors/networkCode';
import { networkError } from '../errors/networkError';
import { unexpectedResponseError } from '../errors/unexpectedResponseError';
import type { Account } from '../shared/account';
import { addSecret } from '../shared/redaction';
import { sleep } from '../shared/sleep';
import { readAccount } from './credential';
import {
	MAX_ERROR_BYTES,
	MAX_OBJECT_BYTES,
	parseBody,
	readBody,
	sanitizeForItems,
} from './responseBody';
import type { ApiResponse } from './responses';

export const CREDENTIAL_TYPE = 'messagingAccountApi';

/** Long enough for a service that fetches a large image before it answers. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** One request to the service, validated and complete except for the account. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Starts with the version segment, e.g. `/v1/status`. */
	path: string;
	body?: IDataObject;
	/** Part of the body that must not show up in items and errors. */
	secret?: string;
	/** A larger response is not read to its end. */
	maxResponseBytes: number;
}

export const STATUS_REQUEST: ApiRequest = {
	method: 'GET',
	path: '/v1/status',
	maxResponseBytes: MAX_OBJECT_BYTES,
};

/** Makes a request that only reads, with retries. */
export type Read = (request: ApiRequest) => Promise<ApiResponse>;

/** The account, and its credential in the form that n8n's helper takes: read once, not for every request. */
export interface LoadedCredential {
	account: Account;
	credential: ICredentialsDecrypted;
}

/**
 * Reads the node's credential.
 *
 * @throws InvalidInputError if a field cannot be used; n8n's own error if there is no credential
 */
export async function loadCredential(context: IAllExecuteFunctions): Promise<LoadedCredential> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? { id: null, name: '' };
	return {
		account: readAccount(data),
		credential: { id: id ?? '', name, type: CREDENTIAL_TYPE, data },
	};
}

/**
 * Makes one request. This is the only place that talks to the network.
 * It never follows redirects, because n8n's helper would send the client ID and the token to their targets.
 *
 * @param timeout in ms, from the connection to the last byte of the response
 * @returns a 2xx response with its body safe for items: parsed if it is JSON, otherwise the text
 * @throws ApiError for everything else, without any part of the request, because n8n stores errors
 */
export async function apiRequest(
	context: IAllExecuteFunctions,
	{ account: credentialAccount, credential }: LoadedCredential,
	request: ApiRequest,
	timeout: number,
): Promise<ApiResponse> {
	const account = withSecret(credentialAccount, request.secret);
	const cancelSignal = getCancelSignal(context);
	const { signal, isTimedOut, clear } = startDeadline(timeout, cancelSignal);
	try {
		const response = (await context.helpers.httpRequestWithAuthentication.call(
			withSignal(context, signal),
			CREDENTIAL_TYPE,
			{
				method: request.method,
				url: `${account.baseUrl}${request.path}`,
				headers: { accept: 'application/json' },
				body: request.body,
				timeout,
				// For versions of the helper that ignore the signal of the context.
				abortSignal: signal,
				disableFollowRedirect: true,
				encoding: 'stream',
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			},
			{ credentialsDecrypted: credential },
		)) as IN8nHttpFullResponse;
		const { statusCode: status, headers } = response;
		const stream = response.body as AsyncIterable<Buffer>;
		if (classify({ status }).delivery === 'done') {
			const body = parseBody(await readBody(stream, request.maxResponseBytes));
			return { body: await sanitizeForItems(body, account), account };
		}
		// The status alone decides: a body that cannot be read must not hide it.
		const text = await readBody(stream, MAX_ERROR_BYTES).catch(() => '');
		throw httpError({ status, headers, body: parseBody(text) }, account);
	} catch (error) {
		const code = cancelSignal?.aborted
			? CANCELED
			: isTimedOut()
				? TIMED_OUT[0]
				: findNetworkCode(error);
		if (code?.startsWith('Z_')) throw unexpectedResponseError('a body that cannot be decompressed');
		throw error instanceof ApiError ? error : networkError(code, error, account, timeout);
	} finally {
		clear();
	}
}

function withSecret(account: Account, secret: string | undefined): Account {
	if (secret === undefined) return account;
	return { ...account, secrets: addSecret(account.secrets, secret) };
}

/** Returns the signal that cancels the execution; a poll has none. */
export function getCancelSignal(context: IAllExecuteFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/**
 * Returns the context with another signal: n8n's helper overwrites the signal of the request with that of its context.
 */
function withSignal(context: IAllExecuteFunctions, signal: AbortSignal): IAllExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IAllExecuteFunctions;
}

/**
 * Limits the time of a whole request. n8n's helper only limits idle time, which a slowly trickling body never reaches.
 *
 * @param timeout in ms
 * @returns a signal for the deadline and for the canceled execution. `clear` releases both: with `AbortSignal.timeout` and
 * `.any`, a fast run would keep the timers and signals of all its requests for a minute.
 */
function startDeadline(timeout: number, cancelSignal: AbortSignal | undefined) {
	const request = new AbortController();
	const timer = new AbortController();
	const abort = () => request.abort();
	let isTimedOut = false;
	sleep(Math.ceil(timeout), timer.signal).then(
		() => {
			isTimedOut = true;
			abort();
		},
		() => {},
	);
	if (cancelSignal?.aborted) abort();
	cancelSignal?.addEventListener('abort', abort);
	return {
		signal: request.signal,
		isTimedOut: () => isTimedOut,
		clear() {
			cancelSignal?.removeEventListener('abort', abort);
			timer.abort();
		},
	};
}
