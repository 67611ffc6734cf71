import type { IAllExecuteFunctions, IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import { CHECK_CREDENTIAL } from '../errors/httpError';
import { createSecrets } from '../shared/redaction';
import { readAccount } from './credential';
import { exchange, type StreamedResponse } from './exchange';
import { MAX_OBJECT_BYTES } from './responseBody';
import type { SizedResponse } from './responses';

export const CREDENTIAL_TYPE = 'messagingAccountApi';

/** Long enough for a service that fetches a large image before it answers. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** One request to the service, validated and complete except for the account. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	/** Starts with the version segment, e.g. `/v1/status`. */
	path: string;
	body?: IDataObject;
	/** A part of the body that must not appear in items and errors. */
	secret?: string;
	/** The size beyond which a response is not read. */
	maxResponseBytes: number;
	/** What to check if the service refuses the request without a reason; by default, the parameters and the connection. */
	advice?: string;
}

export const STATUS_REQUEST: ApiRequest = {
	method: 'GET',
	path: '/v1/status',
	maxResponseBytes: MAX_OBJECT_BYTES,
	advice: CHECK_CREDENTIAL,
};

/** Makes a request that only reads, with retries. */
export type Read = (request: ApiRequest) => Promise<SizedResponse>;

/** The account, and its credential in the form that n8n's helper takes. Read once, not for every request. */
export type LoadedCredential = Awaited<ReturnType<typeof loadCredential>>;

/** Reads the node's credential. @throws InvalidInputError if a field cannot be used; n8n's own error without a credential */
export async function loadCredential(context: IAllExecuteFunctions) {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? { id: null, name: '' };
	return {
		account: readAccount(data),
		credential: { id: id ?? '', name, type: CREDENTIAL_TYPE, data },
	};
}

/** Makes one request for an operation or an event: `exchange`, with the credential of the node. */
export async function apiRequest(
	context: IAllExecuteFunctions,
	{ account: credentialAccount, credential }: LoadedCredential,
	request: ApiRequest,
	timeout: number,
): Promise<SizedResponse> {
	const { secret } = request;
	const secrets = secret && createSecrets([...credentialAccount.secrets.values, secret]);
	const account = secrets ? { ...credentialAccount, secrets } : credentialAccount;
	const send = async (signal: AbortSignal) =>
		(await context.helpers.httpRequestWithAuthentication.call(
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
		)) as StreamedResponse;
	return await exchange(send, account, request, timeout, getCancelSignal(context));
}

/** Returns the signal that cancels the execution; undefined in a poll. */
export function getCancelSignal(context: IAllExecuteFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/** Returns the context with another signal: n8n's helper overwrites the signal of the request with that of its context. */
function withSignal(context: IAllExecuteFunctions, signal: AbortSignal): IAllExecuteFunctions {
	const own = { getExecutionCancelSignal: { value: () => signal } };
	return Object.create(context, own) as IAllExecuteFunctions;
}
