import type { INodeExecutionData } from 'n8n-workflow';

import { createErrorDetails } from './errorDetails';

export interface ItemError {
	itemIndex: number;
	error: unknown;
}

const MAX_LISTED = 20;

/** n8n has no retry for a part of an execution in the editor, so people execute the whole workflow again. */
const MANUAL_ADVICE =
	"Executing the workflow again sends also to those who have the image. To send only the rest, open 'Executions' and retry this one.";

/**
 * Describes the outcome of all items, for an execution whose node outputs none of them.
 *
 * @param sends whether the operation sends
 * @param others all failed items except the one that the error itself describes
 * @param outputs for each input item its output items
 * @param isManual whether the workflow was executed in the editor
 */
export function describeProgress(
	sends: boolean,
	others: ItemError[],
	outputs: INodeExecutionData[][],
	isManual: boolean,
): string {
	const done = outputs.filter((items) => items.length > 0).length;
	const failed = others.slice(0, MAX_LISTED).map(({ itemIndex, error }) => {
		const { delivery } = createErrorDetails(error, sends, itemIndex, outputs.length);
		return `item ${itemIndex} (${delivery})`;
	});
	if (others.length > MAX_LISTED) failed.push(`${others.length - MAX_LISTED} more`);
	const sentences = [`Items completed before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failed items: ${failed.join(', ')}.`);
	if (sends && isManual && done > 0) sentences.push(MANUAL_ADVICE);
	return sentences.join(' ');
}
