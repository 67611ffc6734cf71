import type { ICredentialTestFunction } from 'n8n-workflow';

import { toOneText } from '../errors/itemErrors';
import { toPlainText } from '../n8n/notify';
import { credentialHeaders, readAccount } from './credential';
import { exchange, type StreamedResponse } from './exchange';
import { STATUS_REQUEST } from './request';
import { readStatus } from './statusResponse';

/** Shorter than the default of the nodes, because somebody is watching the dialog. */
const TIMEOUT_MS = 30_000;

interface HelperResponse extends StreamedResponse {
	body: StreamedResponse['body'] & { on(event: 'error', listener: () => void): void };
	request: { destroy(): void };
}

/**
 * Tests a credential with one request for the status. An account that waits for its QR scan passes: people save the credential before. In
 * n8n 2.41, a declarative test would let a web page and a wrong path pass, lose the service's reason, and show "ECONNREFUSED".
 */
export const testCredential: ICredentialTestFunction = async function ({ data }) {
	// The only helper that n8n has here: `httpRequest`, for which n8n's rules ask, is missing, and its scanner ignores exceptions from
	// rules. docs/design/verification.md says so to reviewers. The options are those of the library "request".
	const { request } = this.helpers;
	try {
		const account = readAccount(data ?? {});
		const options = {
			method: STATUS_REQUEST.method,
			uri: `${account.baseUrl}${STATUS_REQUEST.path}`,
			headers: { accept: 'application/json', ...credentialHeaders(account) },
			timeout: TIMEOUT_MS,
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
			useStream: true,
		};
		const send = async (signal: AbortSignal) =>
			await untilAborted(request(options) as Promise<HelperResponse>, signal);
		readStatus(await exchange(send, account, STATUS_REQUEST, TIMEOUT_MS));
		return { status: 'OK', message: 'The service accepts these credentials' };
	} catch (error) {
		return { status: 'Error', message: toPlainText(toOneText(error as Error)) };
	}
};

/** Ends a request and its response when the signal is aborted: the helper takes none, and its timeout begins once a connection exists. */
async function untilAborted(request: Promise<HelperResponse>, signal: AbortSignal) {
	return await new Promise<HelperResponse>((resolve, reject) => {
		signal.addEventListener('abort', () => reject(new Error('The request was aborted')));
		request.then((response) => {
			const end = () => {
				// Without a listener, an error of the stream would end n8n.
				response.body.on('error', () => {});
				response.request.destroy();
			};
			if (signal.aborted) return end();
			signal.addEventListener('abort', end);
			resolve(response);
		}, reject);
	});
}
