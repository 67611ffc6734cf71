import type { Failure, IExecuteFunctions, INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { isCalledByAgent, isToolNode } from '../n8n/agentTool';
import { toPlainText } from '../n8n/notify';
import { ApiError } from './errorClasses';
import type { RunResult } from './itemErrors';
import { createErrorDetails, describeProgress, mayHaveBeenSent, toOneText } from './itemErrors';

/** Creates the error for On Error "Stop Workflow", about the first failed item. */
export function createStopError(context: IExecuteFunctions, sends: boolean, result: RunResult) {
	const [{ error, itemIndex }] = result.errors;
	const count = result.outputs.length;
	const node = context.getNode();
	const details = createErrorDetails(node, result.errors[0], sends, count);
	const outcome = sends && count > 1 ? listOutcome(context, result) : [];
	const description = [details.description, ...outcome].join(' ');
	// n8n passes only the message on to an agent, also from a sub-workflow: it must say what to correct, and that the image may have been sent.
	const isPassedOn = isCalledByAgent(context) || context.getMode() === 'integrated';
	if (!isPassedOn && !isToolNode(node))
		return createNodeError(node, error, { message: details.message, description, itemIndex });
	const text = toOneText({ ...details, description });
	// From n8n's engine, a tool's message comes as it is.
	const message = isPassedOn ? keepFromN8n(node, text) : text;
	return createNodeError(node, error, { message, itemIndex });
}

const GO_ON =
	"To go on without sending them again, set 'On Error' to 'Continue (using error output)', save, and choose 'Retry with currently saved workflow' in 'Executions'.";

function listOutcome(context: IExecuteFunctions, result: RunResult): string[] {
	const progress = describeProgress(context, result, 'failed');
	const unknown = result.errors.filter(mayHaveBeenSent).length;
	if (unknown === 0) return [progress];
	return [progress, `Items that may have been sent: ${unknown}. ${GO_ON}`];
}

/** Creates the error to throw when a poll fails, or before there are items. */
export function createError(node: INode, error: unknown) {
	const { message, description } = error as { message: string; description?: string };
	const failure = error instanceof ApiError ? getPollFailure(error) : undefined;
	return createNodeError(node, error, { message, description, failure });
}

/** Returns the cause of a failed poll for n8n's back-off, which old versions ignore; undefined leaves the decision to n8n. */
function getPollFailure(error: ApiError): Failure | undefined {
	const { httpCode, retryAfter, retryable } = error;
	const { isDisconnected, isWebPage } = error.details;
	// To scan a QR code, or to let n8n through, changes no credential.
	if (httpCode === '401' || httpCode === '403')
		return isDisconnected || isWebPage ? undefined : { cause: 'credential-invalid' };
	if (retryable === 'never') return undefined;
	const cause = httpCode === '429' ? 'rate-limited' : 'temporarily-unavailable';
	return { cause, retryAfterMs: retryAfter };
}

/** Puts an invisible character into words like "preexisting": n8n replaces texts with the name of a system error, of at least 5 letters. */
function keepFromN8n(node: INode, text: string): string {
	const isKept = (part: string) => new NodeOperationError(node, part).message === part;
	return text.replace(/\S+/g, (word) => (isKept(word) ? word : word.replace(/.{4}/gu, '$&\u2060')));
}

/** Creates the error for n8n to show and store. For a request, it has only texts: n8n's own can hold the request with its headers. */
function createNodeError(
	node: INode,
	error: unknown,
	details: { message: string; description?: string; itemIndex?: number; failure?: Failure },
) {
	const nodeError =
		error instanceof ApiError && !isToolNode(node)
			? new NodeApiError(node, {}, { httpCode: error.httpCode, ...details })
			: new NodeOperationError(node, error as Error, details);
	// n8n replaces messages that contain a network code, even in a host name, and some of its texts suggest sending again. It passes on only a
	// tool's NodeOperationError as it is. It takes any message with the word "canceled", even in a cell, for a stop, and offers no retry.
	nodeError.message = toPlainText(details.message.replaceAll('canceled', 'cancelled'));
	// Without one, n8n takes that of the error, and adds it to the message.
	nodeError.description = details.description && toPlainText(details.description);
	return nodeError;
}
