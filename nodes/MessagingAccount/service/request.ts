import type {
	IAllExecuteFunctions,
	ICredentialsDecrypted,
	IDataObject,
	IHttpRequestMethods,
	IN8nHttpFullResponse,
} from 'n8n-workflow';

import { readAccount, type Account } from './account';
import { failureOfNetwork, failureOfStatus } from './failures';

export const CREDENTIAL_TYPE = 'messagingAccountApi';

/** Long enough for a service that fetches a large image before it answers. */
export const DEFAULT_TIMEOUT_MS = 60_000;

/** One request to the service, checked and complete but for the account it is made for. */
export interface ServiceRequest {
	method: IHttpRequestMethods;
	/** Starts with the version segment, e.g. `/v1/status`. */
	path: string;
	body?: IDataObject;
	/** ms */
	timeout: number;
}

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
 * @returns the body of a 2xx answer: parsed where it is JSON, the text otherwise
 * @throws ServiceFailure for everything else, with nothing of the request in it: n8n stores errors
 */
export async function exchange(
	context: IAllExecuteFunctions,
	{ account, credential }: Session,
	request: ServiceRequest,
): Promise<unknown> {
	let response: IN8nHttpFullResponse;
	try {
		response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			CREDENTIAL_TYPE,
			{
				method: request.method,
				url: `${account.baseUrl}${request.path}`,
				headers: { accept: 'application/json' },
				body: request.body,
				timeout: request.timeout,
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			},
			{ credentialsDecrypted: credential },
		)) as IN8nHttpFullResponse;
	} catch (error) {
		throw failureOfNetwork(error, account, request.timeout);
	}
	const { statusCode: status, headers, body } = response;
	if (status < 200 || status >= 300) throw failureOfStatus({ status, headers, body }, account);
	return body;
}
