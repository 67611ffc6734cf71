import { CANCELED, NOT_ALLOWED, NOT_CONNECTED } from './networkCode';

/** Whether the recipient can have the message after a failed send; see "When something goes wrong" in the README. */
export type Delivery = 'notSent' | 'unknown';

/** Every way a request can end. */
export type RequestResult =
	/** A 2xx response whose body makes no sense, or lacks what was requested. */
	| 'unusable'
	| {
			/** Of the response. */
			status: number;
			/** ms that the service asks to wait, if it does. */
			retryAfter?: number;
	  }
	| {
			/** Network code of a request without a complete response; undefined if unknown. */
			code: string | undefined;
	  };

export interface Classification {
	delivery: 'done' | Delivery;
	/** Which requests are safe to retry and likely to succeed: none, those that only read, or sends too. */
	retryable: 'never' | 'reads' | 'always';
}

/**
 * The only classification of how a request ended. It must keep two rules: a send is retryable only if the service has certainly
 * not carried it out, and `notSent` means that this is certain.
 */
export function classify(result: RequestResult): Classification {
	if (result === 'unusable') return { delivery: 'unknown', retryable: 'never' };
	return 'status' in result ? classifyStatus(result) : classifyNetworkCode(result.code);
}

function classifyStatus({
	status,
	retryAfter,
}: Extract<RequestResult, { status: number }>): Classification {
	if (status >= 200 && status < 300) return { delivery: 'done', retryable: 'never' };
	if (status === 429) return { delivery: 'notSent', retryable: 'always' };
	if (status >= 300 && status < 500) return { delivery: 'notSent', retryable: 'never' };
	// With Retry-After a service rejects requests on purpose; any other 5xx may follow after the work was done.
	if (status === 503 && retryAfter !== undefined) {
		return { delivery: 'notSent', retryable: 'always' };
	}
	return { delivery: 'unknown', retryable: 'reads' };
}

function classifyNetworkCode(code: string | undefined): Classification {
	if (code === undefined) return { delivery: 'unknown', retryable: 'never' };
	if (NOT_CONNECTED.includes(code)) return { delivery: 'notSent', retryable: 'always' };
	if (NOT_ALLOWED.includes(code)) return { delivery: 'notSent', retryable: 'never' };
	return { delivery: 'unknown', retryable: code === CANCELED ? 'never' : 'reads' };
}
