import type {
	IAllExecuteFunctions,
	ICredentialsDecrypted,
	IDataObject,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { pause } from '../pause';
import { readAccount, type Account } from './account';
import type { Answer } from './answers';
import {
	fitForItems,
	LARGEST_OBJECT_BYTES,
	LARGEST_REFUSAL_BYTES,
	parseBody,
	readBody,
} from './body';
import { ServiceFailure } from './errors';
import { failureOfNetwork, failureOfStatus, networkCode, unusableAnswer } from './failures';
import { CANCELED, outcomeOf, TIMED_OUT } from './outcomes';

export const CREDENTIAL_TYPE = 'messagingAccountApi';

/** Long enough for a service that fetches a large image before it answers. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** One request to the service, checked and complete but for the account it is made for. */
export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Starts with the version segment, e.g. `/v1/status`. */
	path: string;
	body?: IDataObject;
	/** In bytes; what is larger is not read to its end. */
	largestAnswer: number;
}

export const STATUS_REQUEST: ServiceRequest = {
	method: 'GET',
	path: '/v1/status',
	largestAnswer: LARGEST_OBJECT_BYTES,
};

/** Makes a request that only reads, as often as it is worth it. */
export type Read = (request: ServiceRequest) => Promise<Answer>;

/** The account, and the credential as n8n's helper takes it, so that it is read once and not for every request. */
export interface Session {
	account: Account;
	credential: ICredentialsDecrypted;
}

/**
 * Reads the node's credential.
 *
 * @throws InvalidInput where a field of it cannot be used; n8n's own error where there is none
 */
export async function openSession(context: IAllExecuteFunctions): Promise<Session> {
	const data = await context.getCredentials(CREDENTIAL_TYPE);
	const { id, name } = context.getNode().credentials?.[CREDENTIAL_TYPE] ?? { id: null, name: '' };
	return {
		account: readAccount(data),
		credential: { id: id ?? '', name, type: CREDENTIAL_TYPE, data },
	};
}

/**
 * Makes one request: the only place that talks to the network.
 * Redirects are never followed: n8n's helper would hand the client id and the token to whoever is named in one.
 *
 * @param timeout in ms, for all of it
 * @returns the body of a 2xx answer, fit for items: parsed where it is JSON, the text otherwise
 * @throws ServiceFailure for everything else, with nothing of the request in it: n8n stores errors
 */
export async function exchange(
	context: IAllExecuteFunctions,
	{ account, credential }: Session,
	request: ServiceRequest,
	timeout: number,
): Promise<unknown> {
	const canceled = cancelSignal(context);
	const { signal, isTimedOut, end } = startDeadline(timeout, canceled);
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
				// For versions of the helper that do not take the signal of the context.
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
		if (outcomeOf({ status }).delivery === 'done') {
			return fitForItems(parseBody(await readBody(stream, request.largestAnswer)), account);
		}
		// What a refusal has to say is in its status: a body that cannot be read takes nothing from that.
		const text = await readBody(stream, LARGEST_REFUSAL_BYTES).catch(() => '');
		throw failureOfStatus({ status, headers, body: parseBody(text) }, account);
	} catch (error) {
		const code = canceled?.aborted ? CANCELED : isTimedOut() ? TIMED_OUT[0] : networkCode(error);
		if (code?.startsWith('Z_')) throw unusableAnswer('a body that cannot be unpacked');
		throw error instanceof ServiceFailure ? error : failureOfNetwork(code, error, account, timeout);
	} finally {
		end();
	}
}

/** The signal that the execution was canceled; a poll has none. */
export function cancelSignal(context: IAllExecuteFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in context ? context.getExecutionCancelSignal() : undefined;
}

/**
 * The helper takes the signal of the execution from its context, and overwrites that of the request with it. So the
 * context is handed to it with another one.
 */
function withSignal(context: IAllExecuteFunctions, signal: AbortSignal): IAllExecuteFunctions {
	return Object.create(context, {
		getExecutionCancelSignal: { value: () => signal },
	}) as IAllExecuteFunctions;
}

/**
 * The limit for a whole exchange: n8n's helper knows only one for silence, which a body that trickles in never reaches.
 *
 * @param timeout in ms
 * @returns a signal for the limit and the canceled execution; `end` lets go of both: with `AbortSignal.timeout` and `.any`
 * a fast run would hold the timers and signals of all its requests for a minute
 */
function startDeadline(timeout: number, canceled: AbortSignal | undefined) {
	const limit = new AbortController();
	const ended = new AbortController();
	const abort = () => limit.abort();
	let isTimedOut = false;
	pause(Math.ceil(timeout), ended.signal).then(
		() => {
			isTimedOut = true;
			abort();
		},
		() => {},
	);
	if (canceled?.aborted) abort();
	canceled?.addEventListener('abort', abort);
	return {
		signal: limit.signal,
		isTimedOut: () => isTimedOut,
		end() {
			canceled?.removeEventListener('abort', abort);
			ended.abort();
		},
	};
}
