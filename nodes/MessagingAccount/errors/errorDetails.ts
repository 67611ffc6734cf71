import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { Delivery } from './classifyResult';
import { getField } from '../shared/fields';
import { ApiError } from './errorClasses';

/**
 * The details of a failed item. With On Error "Continue" or "Continue (using error output)", they become `json.error`. For the error
 * output, this is the item's only field: that is how n8n knows where to route it. The item's own property `error` stays unset, because n8n
 * would then replace these details with the message.
 */
export interface ErrorDetails {
	message: string;
	description?: string;
	httpCode?: string;
	/** Only for operations that send. */
	delivery?: Delivery;
	/** The number of times that the item has come back to the node with such an error. */
	repeats?: number;
}

const DELIVERY_SENTENCES: Record<Delivery, string> = {
	notSent: 'The image was not sent.',
	unknown: 'The image may have been sent: check the chat before you send it again.',
};

/**
 * Describes whatever ended the work on an item: our own error, or n8n's, e.g. for an expression that it cannot evaluate, or a missing
 * credential. Omits absent fields.
 *
 * @param itemCount number of input items: a single one is not named
 */
export function createErrorDetails(
	error: unknown,
	sends: boolean,
	itemIndex: number,
	itemCount: number,
): ErrorDetails {
	const { message, description } = error as { message: string; description?: string | null };
	const item = itemCount > 1 ? ` [item ${itemIndex}]` : '';
	const details: ErrorDetails = { message: `${message}${item}` };
	const sentences = description ? [description] : [];
	if (error instanceof ApiError && error.httpCode) details.httpCode = error.httpCode;
	if (sends) {
		// Once a request was made, only an ApiError can end it.
		details.delivery = error instanceof ApiError ? error.delivery : 'notSent';
		const said = error instanceof ApiError ? error.deliverySentence : undefined;
		sentences.push(said ?? DELIVERY_SENTENCES[details.delivery]);
	}
	if (sentences.length > 0) details.description = sentences.join(' ');
	return details;
}

export interface ItemError {
	itemIndex: number;
	error: unknown;
	repeats?: number;
}

const MAX_LISTED = 20;

/** How to send only the rest, for the editor, where people execute the whole workflow again. n8n retries none that was stopped. */
const ADVICE = {
	failed:
		"If you execute the workflow again, those who have the image get it again. To send only the rest, open 'Executions' and retry this one.",
	stopped:
		"If you execute the workflow again, those who have the image get it again: first take them out of the list. For later lists, 'Send Once per ID' prevents this.",
};

/** @returns undefined if executing the workflow again sends nothing twice */
export function chooseAdvice(
	context: IExecuteFunctions,
	isDryRun: boolean,
	how: keyof typeof ADVICE,
) {
	const hasIds = getField(context.getNode().parameters, 'options.sendOnceId');
	return context.getMode() === 'manual' && !isDryRun && !hasIds ? ADVICE[how] : undefined;
}

/**
 * Describes the outcome of all items of an operation that sends, for an execution whose node outputs none of them.
 *
 * @param others all failed items except the one that the error itself describes
 * @param outputs the output items of each input item
 * @param advice how to send only the rest
 */
export function describeProgress(
	others: ItemError[],
	outputs: INodeExecutionData[][],
	advice?: string,
): string {
	const done = outputs.filter((items) => items.length > 0).length;
	const failed = others.slice(0, MAX_LISTED).map(({ itemIndex, error }) => {
		const { delivery } = createErrorDetails(error, true, itemIndex, outputs.length);
		return `item ${itemIndex} (${delivery})`;
	});
	if (others.length > MAX_LISTED) failed.push(`${others.length - MAX_LISTED} more`);
	const sentences = [`Items completed before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failed items: ${failed.join(', ')}.`);
	if (advice && done > 0) sentences.push(advice);
	return sentences.join(' ');
}

/** Whether the item may have been sent. */
export function mayHaveBeenSent({ error }: ItemError): boolean {
	return error instanceof ApiError && error.delivery === 'unknown';
}

/** Describes how many items may have been sent, and how to go on without a second message; undefined if there are none. */
export function describeUnknown(errors: ItemError[]): string | undefined {
	const unknown = errors.filter(mayHaveBeenSent);
	if (unknown.length === 0) return undefined;
	return `Items that may have been sent: ${unknown.length}. To go on without sending them again, set On Error to 'Continue (using error output)' and save, then retry this execution with the currently saved workflow.`;
}

/** Joins the message and the advice, for where n8n shows only one text. */
export function toOneText({ message, description }: { message: string; description?: string }) {
	return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}
