import {
	NodeApiError,
	NodeOperationError,
	type Failure,
	type INode,
	type NodeError,
} from 'n8n-workflow';

import { ApiError } from './apiError';

/**
 * Creates the error for n8n to show and store. For a request it is built from texts alone: what n8n's request helper throws
 * can hold the request with its headers.
 *
 * @param message replaces the message of `error`
 * @param details `description` is shown under the message; `itemIndex` is the failed item; `failure` steers n8n's own
 * back-off of polls, and versions that do not know it ignore it
 */
export function createNodeError(
	node: INode,
	error: unknown,
	message: string,
	details: { description?: string; itemIndex?: number; failure?: Failure },
): NodeError {
	const nodeError =
		error instanceof ApiError
			? new NodeApiError(node, {}, { message, httpCode: error.httpCode, ...details })
			: new NodeOperationError(node, error as Error, details);
	// n8n replaces messages that contain a network code, even in a host name, and some of its texts suggest sending again.
	nodeError.message = message;
	return nodeError;
}
