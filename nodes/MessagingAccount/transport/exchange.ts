import { ApiError } from '../errors/errorClasses';
import { classify } from '../errors/classifyResult';
import { ASK_OPERATOR, httpError, unusableResponseError } from '../errors/httpError';
import { CANCELED, findNetworkCode, TIMED_OUT } from '../errors/networkCode';
import { networkError } from '../errors/networkError';
import type { Account } from '../secrets/account';
import { sleepUnlessAborted } from '../n8n/sleep';
import { sanitizeForItems } from './itemJson';
import { MAX_ERROR_BYTES, MAX_OBJECT_BYTES, parseBody, readBody } from './responseBody';

/** A response with any status, whose body has not been read. */
export interface StreamedResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: AsyncIterable<Buffer>;
}

/** The body of a 2xx response, and the account it came for: errors about the response leave out the account's secrets. */
export type ApiResponse = { body: unknown; account: Account };

/** A response with the part of the request's `maxResponseBytes` that it takes. */
export type SizedResponse = ApiResponse & { size: number };

/** Codes of zlib, Zstandard and Brotli: the last are e.g. ERR__ERROR_FORMAT_PADDING_1. */
const DECOMPRESSION_FAILED = /^(Z_|ZSTD_|ERR__ERROR_)/;

/**
 * Makes one request, and classifies how it ended. Every request of the package goes through here.
 * @param send makes the request with a helper of n8n. It must not follow redirects, because n8n's helpers would send the client ID and the
 * token to their targets. The signal must end it, and the stream of its response.
 * @param timeout in ms, to the last byte of the response @returns a 2xx response with its body safe for items: parsed JSON, or else the text
 * @throws ApiError for everything else, without any part of the request, because n8n stores errors
 */
export async function exchange(
	send: (signal: AbortSignal) => Promise<StreamedResponse>,
	account: Account,
	{ maxResponseBytes, advice }: { maxResponseBytes?: number; advice?: string },
	timeout: number,
	cancelSignal?: AbortSignal,
): Promise<SizedResponse> {
	const ended = new AbortController();
	const signal = createDeadline(timeout, ended.signal, cancelSignal);
	try {
		const { statusCode: status, headers, body: stream } = await send(signal);
		const type = headers['content-type'];
		if (classify({ status }).delivery === 'done') {
			const { text, size } = await readBody(stream, maxResponseBytes ?? MAX_OBJECT_BYTES, type);
			return { body: await sanitizeForItems(await parseBody(text), account), size, account };
		}
		// The status alone decides: a body that cannot be read must not hide it.
		const { text } = await readBody(stream, MAX_ERROR_BYTES, type).catch(() => ({ text: '' }));
		throw httpError({ status, headers, body: await parseBody(text) }, account, advice);
	} catch (error) {
		const code = (signal.reason as string | undefined) ?? findNetworkCode(error);
		if (DECOMPRESSION_FAILED.test(code ?? ''))
			throw unusableResponseError('a body that cannot be decompressed', { advice: ASK_OPERATOR });
		throw error instanceof ApiError ? error : networkError(code, error, account, timeout);
	} finally {
		ended.abort();
	}
}

/** Creates a signal that ends a request after this time, or when the execution is canceled, unless it has ended by itself. */
function createDeadline(timeout: number, ended: AbortSignal, cancelSignal?: AbortSignal) {
	// With `AbortSignal.timeout` and `.any`, a fast run would keep the timers and signals of all its requests for a minute.
	const request = new AbortController();
	const cancel = () => request.abort(CANCELED);
	if (cancelSignal?.aborted) cancel();
	cancelSignal?.addEventListener('abort', cancel);
	// With the option `signal`, Node.js would hold what removes it weakly, and so keep it for the whole list.
	ended.addEventListener('abort', () => cancelSignal?.removeEventListener('abort', cancel));
	// n8n's helper limits only idle time, which a slowly trickling body never reaches.
	void sleepUnlessAborted(Math.ceil(timeout), ended).then((isOver) => {
		if (isOver) request.abort(TIMED_OUT[0]);
	});
	return request.signal;
}
