import { classify, type Classification, type Delivery, type RequestResult } from './classifyResult';
import { toReason } from './networkCode';

/** A request was made, now or by an earlier attempt, and did not end in a usable response. */
export class ApiError extends Error {
	override name = 'ApiError';
	readonly httpCode?: string;
	/** The ms that the service asks to wait, if it does. */
	readonly retryAfter?: number;
	/** The end of the request in a few words, which are shown again when a later attempt refuses to resend. */
	readonly reason: string;
	/** Whether the recipient can have the message, if the request was a send. */
	delivery: Delivery;
	readonly retryable: Classification['retryable'];
	/** Sentences at the end of the description, about what happened around the request. */
	readonly notes: string[] = [];

	constructor(
		message: string,
		readonly details: {
			description: string;
			result: RequestResult;
			/** Whether the service says that the account is not connected. */
			isDisconnected?: boolean;
			/** Whether the response is a web page, from something in front of the service. */
			isWebPage?: boolean;
			/** The sentence on whether the recipient can have the message, if the usual one does not fit. */
			deliverySentence?: string;
		},
	) {
		super(message);
		const { result } = details;
		const { delivery, retryable } = classify(result);
		this.delivery = delivery === 'done' ? 'unknown' : delivery;
		this.retryable = retryable;
		if (typeof result === 'string') this.reason = 'an unexpected response';
		else if ('code' in result) this.reason = toReason(result.code);
		else {
			this.reason = `HTTP ${result.status}`;
			this.httpCode = String(result.status);
			this.retryAfter = result.retryAfter;
		}
	}

	get description(): string {
		return [this.details.description, ...this.notes].join(' ');
	}
}

/** The user entered something that cannot be used. Nothing was sent. */
export class InvalidInputError extends Error {
	override name = 'InvalidInputError';

	constructor(
		message: string,
		readonly description: string,
	) {
		super(message);
	}
}

/** Nothing was requested for an item, because the service or the account failed for the items before it. */
export class NotTriedError extends Error {
	override name = 'NotTriedError';
	readonly description: string;
	/** Of the sends in a row that did not succeed. */
	readonly firstItem: number;

	/** @param outage the number of sends that did not succeed, the time of the first in ISO 8601, and what the last reported */
	constructor(outage: { failures: number; firstItem: number; since: string; reason: string }) {
		super('This item was not tried, because the service does not work');
		this.firstItem = outage.firstItem;
		const since = outage.since.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
		this.description = `${outage.failures} sends did not succeed, the first one at ${since}. The last one: ${outage.reason}. Check the service, e.g. with Get Status. Then, with 'Send Once per ID', execute the workflow again; without it, send only the items that were not sent.`;
	}
}

/** Nothing new may start: the execution was canceled, or another item failed with On Error "Stop". */
export class NotStartedError extends Error {
	override name = 'NotStartedError';
}
