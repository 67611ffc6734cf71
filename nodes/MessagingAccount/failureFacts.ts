import { NodeApiError, NodeOperationError, type INode, type NodeError } from 'n8n-workflow';

import type { Operation } from './operations/operation';
import { InvalidInput, ServiceFailure, type Delivery } from './service/failures';

/**
 * What there is to say about a failed item. With On Error "Continue" or "Continue (using error output)" it becomes the
 * item's `json.error`, the only field there: that is how n8n knows where to route the item. The item's own property
 * `error` is not used, because n8n would replace all this by the message.
 */
export interface FailureFacts {
	message: string;
	description?: string;
	httpCode?: string;
	/** For operations that send. */
	delivery?: Delivery;
}

const OUTCOME: Record<Delivery, string> = {
	notSent: 'The image was not sent.',
	unknown: 'It is not known whether the image was sent: look at the chat before you send it again.',
};

/**
 * Sums up whatever ended the work on an item: our own errors, or n8n's, e.g. for an expression that cannot be
 * evaluated or a credential that is not there. Absent fields are left out.
 *
 * @param isRequested whether a request was under way: then an error that nobody foresaw leaves the outcome open
 */
export function factsOf(
	failure: unknown,
	{ sends }: Operation,
	isRequested: boolean,
): FailureFacts {
	const { message, description } = failure as { message: string; description?: string | null };
	const facts: FailureFacts = { message };
	if (description) facts.description = description;
	if (failure instanceof ServiceFailure && failure.httpCode) facts.httpCode = failure.httpCode;
	if (!sends) return facts;

	if (!isRequested) return { ...facts, delivery: 'notSent' };
	const delivery = failure instanceof ServiceFailure ? failure.delivery : 'unknown';
	const outcome = OUTCOME[delivery];
	return { ...facts, description: description ? `${description} ${outcome}` : outcome, delivery };
}

/**
 * The error to throw with On Error "Stop". For a request it is made anew from words: what n8n's request helper throws
 * can hold the request with its headers, and n8n stores what a node throws.
 */
export function toNodeError(
	node: INode,
	failure: unknown,
	{ message, description, httpCode }: FailureFacts,
	itemIndex: number,
): NodeError {
	if (failure instanceof ServiceFailure) {
		return new NodeApiError(node, {}, { message, description, httpCode, itemIndex });
	}
	return failure instanceof InvalidInput
		? new NodeOperationError(node, message, { description, itemIndex })
		: new NodeOperationError(node, failure as Error, { itemIndex });
}
