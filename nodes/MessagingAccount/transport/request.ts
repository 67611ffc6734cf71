import type { IAllExecuteFunctions, IDataObject, IHttpRequestMethods } from 'n8n-workflow';

import { CHECK_CREDENTIAL } from '../errors/httpError';
import { getCancelSignal, withSignal } from '../n8n/cancelSignal';
import { readCredential } from '../n8n/readCredential';
import { type Account, createAccountKey, createSecrets } from '../secrets/account';
import { readAccount } from './credential';
import { exchange, type SizedResponse, type StreamedResponse } from './exchange';
import { type RetryLimits, withRetries } from './retry';

/** Long enough for a service that fetches a large image before it answers. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** One request to the service, validated and complete except for the account. */
export interface ApiRequest {
	method: IHttpRequestMethods;
	path: string;
	body?: IDataObject;
	/** A part of the body that must not appear in items and errors. */
	secret?: string;
	/** The size beyond which a response is not read; by default, that of one object. */
	maxResponseBytes?: number;
	/** What to check if the service refuses the request without a reason; by default, the parameters and the connection. */
	advice?: string;
}

export const STATUS_REQUEST: ApiRequest = {
	method: 'GET',
	path: '/v1/status',
	advice: CHECK_CREDENTIAL,
};

/** Makes a request that only reads, with retries. */
export type Read = (request: ApiRequest) => Promise<SizedResponse>;

const CREDENTIAL_TYPE = 'messagingAccountApi';
const FIELDS = ['baseUrl', 'clientId', 'token'];

/** Makes the requests of one run of a node. It reads the credential once or, if a field is an expression, for each item: its own account. */
export class ServiceClient {
	hasRequested = false;
	private shared?: Promise<Credential>;
	private readonly byItem = new Map<number, Promise<Credential>>();

	constructor(private readonly context: IAllExecuteFunctions) {}

	/** @throws InvalidInputError if a field of the credential cannot be used; n8n's own error without a credential */
	async getAccount(itemIndex: number): Promise<Account> {
		return (await this.load(itemIndex)).getAccount();
	}

	/** Returns a key if the item may have an account of its own; empty if all share one, or every request of the item will fail. */
	async getOwnAccountKey(itemIndex: number): Promise<string> {
		const account = await this.getAccount(itemIndex).catch(() => undefined);
		return account && (await this.load(itemIndex)).isOfItem ? createAccountKey(account) : '';
	}

	/** Makes one request. @param timeout in ms @throws ApiError, and what `getAccount` throws */
	async request(request: ApiRequest, timeout: number, itemIndex: number): Promise<SizedResponse> {
		const { context } = this;
		const { getAccount, credentialsDecrypted } = await this.load(itemIndex);
		const account = getAccount();
		this.hasRequested = true;
		const { values } = account.secrets;
		const secrets = request.secret ? createSecrets([...values, request.secret]) : account.secrets;
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
				{ credentialsDecrypted },
			)) as StreamedResponse;
		const cancelSignal = getCancelSignal(context);
		return await exchange(send, { ...account, secrets }, request, timeout, cancelSignal);
	}

	createRead(itemIndex: number, getTimeout: () => number, limits: RetryLimits): Read {
		const options = { ...limits, isSend: false };
		return async (request) =>
			await withRetries(async () => await this.request(request, getTimeout(), itemIndex), options);
	}

	private async load(itemIndex: number): Promise<Credential> {
		const own = this.byItem.get(itemIndex);
		const loading = this.shared ?? own ?? loadCredential(this.context, itemIndex);
		this.byItem.set(itemIndex, loading);
		// One item tells whether all share it, even one that cannot be used.
		if ((await loading).isShared) this.shared = loading;
		return await loading;
	}
}

type Credential = Awaited<ReturnType<typeof loadCredential>>;

async function loadCredential(context: IAllExecuteFunctions, itemIndex: number) {
	const reading = readCredential(context, CREDENTIAL_TYPE, itemIndex, FIELDS);
	const { data, stored, expressions } = await reading;
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? { id: null, name: '' };
	// Triggers have no items.
	const evaluate =
		'evaluateExpression' in context
			? (part: string) => context.evaluateExpression(part, itemIndex)
			: undefined;
	let account: Account | undefined;
	return {
		credentialsDecrypted: { id: id ?? '', name, type: CREDENTIAL_TYPE, data },
		getAccount: () => (account ??= readAccount(data, stored, evaluate)),
		isShared: expressions?.length === 0,
		// A new token is no other account.
		isOfItem: expressions?.some((name) => name !== 'token') ?? true,
	};
}
