import type { INode, INodeExecutionData, NodeError } from 'n8n-workflow';

import { asNodeError } from './nodeError';
import type { Operation } from './operations/operation';
import type { ItemFailure } from './runItems';
import { ServiceFailure } from './service/errors';
import type { Delivery } from './service/outcomes';
import { isTool } from './tool';

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
 * @param itemIndex left out where there is only one item
 */
export function factsOf(failure: unknown, { sends }: Operation, itemIndex?: number): FailureFacts {
	const { message, description } = failure as { message: string; description?: string | null };
	const item = itemIndex === undefined ? '' : ` [item ${itemIndex}]`;
	const facts: FailureFacts = { message: `${message}${item}` };
	const said = failure instanceof ServiceFailure ? failure.details : description;
	const sentences = said ? [said] : [];
	if (failure instanceof ServiceFailure && failure.httpCode) facts.httpCode = failure.httpCode;
	if (sends) {
		// Once a request has left, what ends it is a ServiceFailure.
		facts.delivery = failure instanceof ServiceFailure ? failure.delivery : 'notSent';
		sentences.push(OUTCOME[facts.delivery]);
	}
	if (sentences.length > 0) facts.description = sentences.join(' ');
	return facts;
}

/** The error to throw with On Error "Stop", for the first of the failures. */
export function toNodeError(
	node: INode,
	operation: Operation,
	[{ itemIndex, error }, ...others]: ItemFailure[],
	outputs: INodeExecutionData[][],
): NodeError {
	const forAgent = isTool(node);
	const { message, ...facts } = factsOf(error, operation, forAgent ? undefined : itemIndex);
	const description = [
		facts.description,
		operation.sends && outputs.length > 1 && progress(operation, others, outputs),
	]
		.filter(Boolean)
		.join(' ');
	// n8n gives an agent the message alone: without the rest it would not know what to mend, or that the image may be there.
	const told = forAgent && description ? `${message.replace(/\.$/, '')}. ${description}` : message;
	return asNodeError(node, error, told, { description, itemIndex });
}

const MOST_LISTED = 20;

/**
 * Where the node gives no items, this is the only place that tells what became of them.
 *
 * @param others all failures but one that the error itself tells of
 */
export function progress(
	operation: Operation,
	others: ItemFailure[],
	outputs: INodeExecutionData[][],
): string {
	const done = outputs.filter((items) => items.length > 0).length;
	const failed = others.slice(0, MOST_LISTED).map(({ itemIndex, error }) => {
		const { delivery } = factsOf(error, operation, itemIndex);
		return `item ${itemIndex} (${delivery})`;
	});
	if (others.length > MOST_LISTED) failed.push(`${others.length - MOST_LISTED} more`);
	const sentences = [`Items done before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failures: ${failed.join(', ')}.`);
	return sentences.join(' ');
}
