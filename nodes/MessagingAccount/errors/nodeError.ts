import {
	NodeApiError,
	NodeOperationError,
	type Failure,
	type INode,
	type INodeExecutionData,
	type NodeError,
} from 'n8n-workflow';

import { isToolNode } from '../shared/isToolNode';
import { ApiError } from './errorClasses';
import {
	createErrorDetails,
	describeProgress,
	describeUnknown,
	toOneText,
	type ItemError,
} from './errorDetails';

/**
 * Creates the error for n8n to show and store. For a request it is built from texts alone: what n8n's request helper throws
 * can hold the request with its headers.
 *
 * @param message replaces the message of `error`
 * @param details `description` is shown under the message; `itemIndex` is the failed item; `failure` steers n8n's own
 * back-off of polls, and versions that do not know it ignore it
 */
function createNodeError(
	node: INode,
	error: unknown,
	message: string,
	details: { description?: string; itemIndex?: number; failure?: Failure },
): NodeError {
	const nodeError =
		error instanceof ApiError
			? new NodeApiError(node, {}, { message, httpCode: error.httpCode, ...details })
			: new NodeOperationError(node, error as Error, details);
	// n8n replaces messages that contain a network code, even in a host name, and some of its texts suggest sending again. It takes any
	// message with the word "canceled", even in a cell, for a stop by the user, and then offers no retry.
	nodeError.message = message.replaceAll('canceled', 'cancelled');
	return nodeError;
}

/** Creates the error to throw when a poll fails, or before there are items. */
export function createError(node: INode, error: unknown): NodeError {
	const { message, description } = error as { message: string; description?: string };
	const failure = error instanceof ApiError ? getPollFailure(error) : undefined;
	return createNodeError(node, error, message, { description, failure });
}

/** Returns the cause of a failed poll for n8n's back-off; undefined leaves the decision to n8n. */
function getPollFailure({ httpCode, retryAfter, retryable }: ApiError): Failure | undefined {
	if (httpCode === '401' || httpCode === '403') return { cause: 'credential-invalid' };
	if (httpCode === '429') return { cause: 'rate-limited', retryAfterMs: retryAfter };
	if (retryable === 'never') return undefined;
	return { cause: 'temporarily-unavailable', retryAfterMs: retryAfter };
}

/**
 * Creates the error to throw with On Error "Stop Workflow", about the first of at least one failed item. For the other
 * parameters, see `describeProgress`.
 */
export function createStopError(
	node: INode,
	sends: boolean,
	errors: ItemError[],
	outputs: INodeExecutionData[][],
	advice?: string,
): NodeError {
	const [{ itemIndex, error }, ...others] = errors;
	const { length } = outputs;
	const { message, ...details } = createErrorDetails(error, sends, itemIndex, length);
	const all = sends && length > 1;
	const progress = all && describeProgress(others, outputs, advice);
	const unknown = all && describeUnknown(errors);
	const description = [details.description, progress, unknown].filter(Boolean).join(' ');
	// n8n passes only the message on to an agent. Without the description the agent would not know what to correct, or that
	// the image may have been sent.
	const text = isToolNode(node) ? toOneText({ message, description }) : message;
	return createNodeError(node, error, text, { description, itemIndex });
}
