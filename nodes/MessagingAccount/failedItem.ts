import {
	NodeApiError,
	NodeOperationError,
	type IDataObject,
	type INode,
	type NodeError,
} from 'n8n-workflow';

import type { Operation } from './operations/operation';
import { InvalidInput, ServiceFailure, type Delivery } from './service/failures';

/**
 * The `json` of a failed item, with On Error "Continue" or "Continue (using error output)". The field `error` is the
 * only one: that is how n8n knows where to route it. The item's own property `error` is not used, because n8n would
 * replace all this by the message.
 */
export function failedItem(failure: unknown, operation: Operation): IDataObject {
	const { message, description, httpCode, delivery } = facts(failure, operation);
	return {
		error: {
			message,
			...(description === undefined ? {} : { description }),
			...(httpCode === undefined ? {} : { httpCode }),
			...(delivery === undefined ? {} : { delivery }),
		},
	};
}

/**
 * The error to throw with On Error "Stop". It is made anew from words: what n8n's request helper throws can hold the
 * request with its headers, and n8n stores what a node throws.
 */
export function toNodeError(
	node: INode,
	failure: unknown,
	itemIndex: number,
	operation: Operation,
): NodeError {
	const { message, description, httpCode } = facts(failure, operation);
	if (failure instanceof ServiceFailure) {
		return new NodeApiError(node, {}, { message, description, httpCode, itemIndex });
	}
	return failure instanceof InvalidInput
		? new NodeOperationError(node, message, { description, itemIndex })
		: new NodeOperationError(node, failure as Error, { itemIndex });
}

interface Facts {
	message: string;
	description?: string;
	httpCode?: string;
	delivery?: Delivery;
}

/**
 * Everything but a ServiceFailure comes from before the request: input that cannot be used, an expression that cannot
 * be evaluated, a credential that is not there.
 */
function facts(failure: unknown, { sends }: Operation): Facts {
	const { message, description } = failure as { message: string; description?: string | null };
	if (!(failure instanceof ServiceFailure)) {
		const said = { message, description: description ?? undefined };
		return sends ? { ...said, delivery: 'notSent' } : said;
	}
	const { httpCode, delivery } = failure;
	return sends
		? { message, description: `${description} ${OUTCOME[delivery]}`, httpCode, delivery }
		: { message, description: failure.description, httpCode };
}

const OUTCOME: Record<Delivery, string> = {
	notSent: 'The image was not sent.',
	unknown: 'It is not known whether the image was sent: look at the chat before you send it again.',
};
