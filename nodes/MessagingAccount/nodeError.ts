import {
	NodeApiError,
	NodeOperationError,
	type Failure,
	type INode,
	type NodeError,
} from 'n8n-workflow';

import { ServiceFailure } from './service/errors';

/**
 * The error for n8n to show and store. For a request it is made anew from words: what n8n's request helper throws can
 * hold the request with its headers.
 *
 * @param message what it is to say, whatever the message of `error`
 * @param details `description`: what stands under the message. `itemIndex`: of the item that failed. `failure`: why, for
 * n8n's own back-off of polls; versions that do not know it leave it alone.
 */
export function asNodeError(
	node: INode,
	error: unknown,
	message: string,
	details: { description?: string; itemIndex?: number; failure?: Failure },
): NodeError {
	const nodeError =
		error instanceof ServiceFailure
			? new NodeApiError(node, {}, { message, httpCode: error.httpCode, ...details })
			: new NodeOperationError(node, error as Error, details);
	// n8n has a sentence of its own for messages that have a network code in them, if only in the name of a host. Some of
	// these invite to send again.
	nodeError.message = message;
	return nodeError;
}
