import { CANCELED, isNotAllowed, NOT_CONNECTED } from './networkCode';

/** Whether the recipient can have the message after a failed send; see docs/troubleshooting.md, "Failed items". */
export type Delivery = 'notSent' | 'unknown';

export type RequestResult =
	/** A 2xx response whose body makes no sense, or lacks what was requested. */
	| 'unusable'
	/** None was made now, because nobody knows what an earlier attempt has done. */
	| 'notMade'
	/** A response with this status, and the ms that the service asks to wait, if it does. */
	| { status: number; retryAfter?: number }
	/** No complete response, but this network code; undefined if unknown. */
	| { code: string | undefined };

export interface Classification {
	delivery: 'done' | Delivery;
	/** The requests that are safe to retry and likely to succeed: none, those that only read, or sends, too. */
	retryable: 'never' | 'reads' | 'always';
}

/** Classifies how a request ended; nothing else does. A send is `notSent`, or retryable, only if it was certainly not carried out. */
export function classify(result: RequestResult): Classification {
	if (typeof result === 'string') return UNCLEAR;
	if ('code' in result) {
		const { code } = result;
		if (code === undefined || code === CANCELED) return UNCLEAR;
		if (NOT_CONNECTED.includes(code)) return REFUSED_FOR_NOW;
		return isNotAllowed(code) ? REFUSED : UNCLEAR_FOR_NOW;
	}
	const { status, retryAfter } = result;
	// 15.6.4: with Retry-After, a service rejects requests on purpose. Without it, it may have broken down during the work.
	if (status === 503 && retryAfter !== undefined) return REFUSED_FOR_NOW;
	// 15.6: in a 5xx, the server has erred, before, during or after the work. 15: an invalid status counts as one.
	const [, known] = STATUSES.find(([statuses]) => statuses.includes(status)) ?? [];
	return known ?? STATUS_CLASSES[Math.floor(status / 100)] ?? UNCLEAR_FOR_NOW;
}

const DONE: Classification = { delivery: 'done', retryable: 'never' };
const REFUSED: Classification = { delivery: 'notSent', retryable: 'never' };
const REFUSED_FOR_NOW: Classification = { delivery: 'notSent', retryable: 'always' };
const UNCLEAR: Classification = { delivery: 'unknown', retryable: 'never' };
const UNCLEAR_FOR_NOW: Classification = { delivery: 'unknown', retryable: 'reads' };

/** The meaning of a status's first digit. The numbers are sections of RFC 9110. */
const STATUS_CLASSES: Record<number, Classification> = {
	2: DONE, // 15.3: received, understood and accepted.
	3: UNCLEAR, // 15.4: further action is needed; this alone does not say whether anything was done.
	4: REFUSED, // 15.5: the request cannot be fulfilled. 15: an unknown 4xx means what 400 means.
};

/** Statuses that say more, or less, than their class. The numbers are sections of RFC 9110 unless another RFC is named. */
const STATUSES: Array<[statuses: number[], Classification]> = [
	[[301, 302, 307, 308], REFUSED], // 15.4.2, 3, 8, 9: the resource is elsewhere, and the request has to be made there.
	// Left to their class: 300 (15.4.1) offers representations to choose from. 303 (15.4.4) names another resource as the indirect response:
	// after a POST, that is "done, look there". 304 (15.4.5) is for a conditional GET, so after a POST it says nothing.

	[[406, 416], UNCLEAR], // 15.5.7, 15.5.17: about the response, which may be chosen after the work was done.
	// 15.5.9: no complete request came. Ours did, so something else was late, and another server may go on. A read may be repeated.
	[[408], UNCLEAR_FOR_NOW],
	[[409], UNCLEAR], // 15.5.10: a conflict with the current state, which can be that the message exists already.
	[[424], UNCLEAR], // RFC 4918, 11.4: another action failed on which this one depended. How far that one got is not said.
	[[429], REFUSED_FOR_NOW], // RFC 6585, 4: refused because of the rate limit, and welcome later.
	[[460, 499], UNCLEAR_FOR_NOW], // In no RFC: proxies say that the client closed the connection while the service was working.

	[[505], REFUSED], // 15.6.6: refused for the version of HTTP, before anything else is looked at.
	[[511], REFUSED], // RFC 6585, 6: from a network that wants a login first. The service itself must not use it.
	// Left to their class: 501 (15.6.2) can come from amid the work, 502 and 504 (15.6.3, 15.6.5) from a gateway that forwarded the request.
];
