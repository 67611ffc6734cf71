import {
	NodeApiError,
	NodeOperationError,
	type Failure,
	type IExecuteFunctions,
	type INode,
	type INodeExecutionData,
} from 'n8n-workflow';

import { isCalledByAgent, isToolNode } from '../n8n/isToolNode';
import { toPlainText } from '../n8n/plainText';
import { getField } from '../shared/fields';
import { ApiError } from './errorClasses';

export interface ItemError {
	itemIndex: number;
	error: unknown;
	/** The number of times that the item has come back to the node with such an error. */
	repeats?: number;
}

/** What a run of the node has done: the output items of each input item, and the errors in the order in which they occurred. */
export interface RunResult {
	outputs: INodeExecutionData[][];
	errors: ItemError[];
	isDryRun: boolean;
}

const DELIVERY_SENTENCES = {
	notSent: 'The image was not sent.',
	unknown: 'The image may have been sent: check the chat before you send it again.',
	toModel: 'The image may have been sent: do not send it again. Ask the user to check the chat.',
};

/** Whether the recipient can have the message: once a request was made, only an ApiError can end the work on an item. */
const deliveryOf = (error: unknown) => (error instanceof ApiError ? error.delivery : 'notSent');

export const mayHaveBeenSent = ({ error }: ItemError) => deliveryOf(error) === 'unknown';

/**
 * Describes whatever ended the work on an item: our own error, or n8n's, e.g. for a missing credential. With On Error "Continue" or
 * "Continue (using error output)", this becomes `json.error`. For the error output, it is the item's only field: that is how n8n knows
 * where to route it. The item's own property `error` stays unset, because n8n would then replace these details with the message.
 * @param sends whether the operation sends: only then, there is `delivery` @param count a single item is not named
 */
export function createErrorDetails(node: INode, failed: ItemError, sends: boolean, count: number) {
	const { error, itemIndex, repeats } = failed;
	const { message, description } = error as { message: string; description?: string | null };
	const { httpCode, details } = error instanceof ApiError ? error : {};
	const delivery = deliveryOf(error);
	const named = count > 1 ? `${message} [item ${itemIndex}]` : message;
	// A model reads only the message, so there it comes first.
	const warnsModel = sends && delivery === 'unknown' && isToolNode(node);
	const sentence = details?.deliverySentence ?? DELIVERY_SENTENCES[delivery];
	const text = [description, sends && !warnsModel && sentence].filter(Boolean).join(' ');
	return {
		message: toPlainText(warnsModel ? `${DELIVERY_SENTENCES.toModel} ${named}` : named),
		...(httpCode && { httpCode }),
		...(sends && { delivery }),
		...(text && { description: toPlainText(text) }),
		...(repeats && { repeats }),
	};
}

/** Joins message and advice, for where n8n shows one text. @example { message: 'No chat.', description: 'Ask.' } // 'No chat. Ask.' */
export function toOneText({ message, description }: { message: string; description?: string }) {
	return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}

/** How to send only the rest, for the editor, where people execute the whole workflow again. n8n retries none that was stopped. */
const REST_ADVICE = {
	failed:
		"If you execute the workflow again, those who have the image get it again. To send only the rest, open 'Executions', click the curved arrow of this one, and choose 'Retry with currently saved workflow'. It does not read your rows again: put corrected ones in a sheet of their own, and execute the workflow with it.",
	stopped:
		"If you execute the workflow again, those who have the image get it again: first take them out of the list. For later lists, 'Send Once per ID' prevents this.",
};

const MAX_LISTED = 20;

/** Describes the outcome of all items of an operation that sends, for an execution whose node outputs none of them. */
export function describeProgress(
	context: IExecuteFunctions,
	{ outputs, errors, isDryRun }: RunResult,
	how: keyof typeof REST_ADVICE,
): string {
	const done = outputs.filter((items) => items.length > 0).length;
	// The error of a failed execution itself describes the first one.
	const others = how === 'failed' ? errors.slice(1) : errors;
	const failed = others
		.slice(0, MAX_LISTED)
		.map(({ itemIndex, error }) => `item ${itemIndex} (${deliveryOf(error)})`);
	if (others.length > MAX_LISTED) failed.push(`${others.length - MAX_LISTED} more`);
	const sentences = [`Items completed before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failed items: ${failed.join(', ')}.`);
	const hasIds = getField(context.getNode().parameters, 'options.sendOnceId');
	const mayRepeat = done > 0 && /manual|retry/.test(context.getMode()) && !isDryRun && !hasIds;
	if (mayRepeat) sentences.push(REST_ADVICE[how]);
	return sentences.join(' ');
}

/** Creates the error for On Error "Stop Workflow", about the first failed item. */
export function createStopError(context: IExecuteFunctions, sends: boolean, result: RunResult) {
	const [{ error, itemIndex }] = result.errors;
	const count = result.outputs.length;
	const node = context.getNode();
	const details = createErrorDetails(node, result.errors[0], sends, count);
	const outcome = sends && count > 1 ? listOutcome(context, result) : [];
	const description = [details.description, ...outcome].join(' ');
	const oneText = toOneText({ ...details, description });
	// n8n passes only the message on to an agent, also from a sub-workflow: it must say what to correct, and that the image may have been sent.
	if (isCalledByAgent(context) || context.getMode() === 'integrated')
		return createNodeError(node, error, { message: keepFromN8n(node, oneText), itemIndex });
	// From n8n's engine, a tool's message comes as it is.
	if (isToolNode(node)) return createNodeError(node, error, { message: oneText, itemIndex });
	return createNodeError(node, error, { message: details.message, description, itemIndex });
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
	if (httpCode === '429') return { cause: 'rate-limited', retryAfterMs: retryAfter };
	if (retryable === 'never') return undefined;
	return { cause: 'temporarily-unavailable', retryAfterMs: retryAfter };
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
