import type { INodeExecutionData } from 'n8n-workflow';

import type { Delivery } from './classifyResult';
import { ApiError } from './errorClasses';

/**
 * Describes a failed item. With On Error "Continue" or "Continue (using error output)" this becomes `json.error`, the only
 * field of the item: that is how n8n knows where to route it. The item's own property `error` stays unset, because n8n
 * would then replace these details with the message.
 */
export interface ErrorDetails {
	message: string;
	description?: string;
	httpCode?: string;
	/** Only for operations that send. */
	delivery?: Delivery;
	/** How often the item has come back to the node with such an error. */
	repeats?: number;
}

const DELIVERY_SENTENCES: Record<Delivery, string> = {
	notSent: 'The image was not sent.',
	unknown: 'The image may have been sent: check the chat before you send it again.',
};

/**
 * Describes whatever ended the work on an item: our own errors, or n8n's, e.g. for an expression it cannot evaluate or a
 * missing credential. Omits absent fields.
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

/** n8n has no retry for a part of an execution in the editor, so people execute the whole workflow again. */
const MANUAL_ADVICE =
	"Executing the workflow again sends also to those who have the image. To send only the rest, open 'Executions' and retry this one.";

/**
 * Describes the outcome of all items of an operation that sends, for an execution whose node outputs none of them.
 *
 * @param others all failed items except the one that the error itself describes
 * @param outputs for each input item its output items
 * @param isManual whether the workflow was executed in the editor
 */
export function describeProgress(
	others: ItemError[],
	outputs: INodeExecutionData[][],
	isManual: boolean,
): string {
	const done = outputs.filter((items) => items.length > 0).length;
	const failed = others.slice(0, MAX_LISTED).map(({ itemIndex, error }) => {
		const { delivery } = createErrorDetails(error, true, itemIndex, outputs.length);
		return `item ${itemIndex} (${delivery})`;
	});
	if (others.length > MAX_LISTED) failed.push(`${others.length - MAX_LISTED} more`);
	const sentences = [`Items completed before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failed items: ${failed.join(', ')}.`);
	if (isManual && done > 0) sentences.push(MANUAL_ADVICE);
	return sentences.join(' ');
}

/** Says how many items may have been sent, and how to go on without a second message; undefined if there are none. */
export function describeUnknown(errors: ItemError[]): string | undefined {
	const unknown = errors.filter(
		({ error }) => error instanceof ApiError && error.delivery === 'unknown',
	);
	if (unknown.length === 0) return undefined;
	return `Items that may have been sent: ${unknown.length}. To go on without sending them again, set On Error to 'Continue (using error output)' and save, then retry this execution with the currently saved workflow.`;
}

/** Joins what happened and what to do, for where n8n shows only one text. */
export function toOneText({ message, description }: { message: string; description?: string }) {
	return description ? `${message.replace(/\.$/, '')}. ${description}` : message;
}
