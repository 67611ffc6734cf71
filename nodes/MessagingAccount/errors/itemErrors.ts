import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { isToolNode } from '../n8n/agentTool';
import { toPlainText } from '../n8n/notify';
import { getField } from '../shared/fields';
import { ApiError } from './errorClasses';

/** `repeats` is the number of times that the item has come back to the node with such an error. */
export type ItemError = { itemIndex: number; error: unknown; repeats?: number };

/** What a run of the node has done: the output items of each input item, and the errors in the order in which they occurred. */
export type RunResult = { outputs: INodeExecutionData[][]; errors: ItemError[]; isDryRun: boolean };

const DELIVERY_SENTENCES = {
	notSent: 'The image was not sent.',
	unknown: 'The image may have been sent: check the chat before you send it again.',
	toModel: 'The image may have been sent: do not send it again. Ask the user to check the chat.',
};

/** Whether the recipient can have the message: once a request was made, only an ApiError can end the work on an item. */
const deliveryOf = (error: unknown) => (error instanceof ApiError ? error.delivery : 'notSent');

/** Whether an item was skipped because of the limit: the next execution may send it. */
export const isLeft = ({ json }: INodeExecutionData) =>
	json.skipped === true && json.reason === 'limit';

export const mayHaveBeenSent = ({ error }: ItemError) => deliveryOf(error) === 'unknown';

/**
 * Describes whatever ended the work on an item: our own error, or n8n's, e.g. for a missing credential. With both "Continue" of On Error,
 * this becomes `json.error`, by which n8n routes an item that has no other field. In the item's own `error`, n8n would discard the details.
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
export const toOneText = ({ message, description }: { message: string; description?: string }) =>
	description ? `${message.replace(/\.$/, '')}. ${description}` : message;

/** For the editor, where people execute the whole workflow again. */
const SENT_AGAIN = 'If you execute the workflow again, those who have the image get it again.';
const RETRY =
	"To send only the rest, open 'Executions', click the curved arrow of this one, and choose 'Retry with currently saved workflow'.";
const REST_ADVICE = {
	failed:
		'It does not read your rows again: put corrected ones in a sheet of their own, and execute the workflow with it.',
	stopped:
		"First take these out of the list: the chats show who has it. For later lists, 'Send Once per ID' prevents this.",
};

const MAX_LISTED = 20;

/** Describes the outcome of all items of an operation that sends, for an execution whose node outputs none of them. */
export function describeProgress(
	context: IExecuteFunctions,
	{ outputs, errors, isDryRun }: RunResult,
	how: keyof typeof REST_ADVICE,
): string {
	const done = outputs.filter((items) => items.length > 0 && !items.some(isLeft)).length;
	// The error of a failed execution itself describes the first one.
	const others = how === 'failed' ? errors.slice(1) : errors;
	const failed = others
		.slice(0, MAX_LISTED)
		.map(({ itemIndex, error }) => `item ${itemIndex} (${deliveryOf(error)})`);
	if (others.length > MAX_LISTED) failed.push(`${others.length - MAX_LISTED} more`);
	const sentences = [`Items completed before the stop: ${done} of ${outputs.length}.`];
	if (failed.length > 0) sentences.push(`Other failed items: ${failed.join(', ')}.`);
	const hasIds = getField(context.getNode().parameters, 'options.sendOnceId');
	const isByHand = /manual|retry/.test(context.getMode());
	const mayRepeat = done > 0 && !isDryRun && !hasIds;
	if (mayRepeat && isByHand) sentences.push(SENT_AGAIN);
	// n8n retries none that was stopped.
	if (mayRepeat && how === 'failed' && context.getMode() !== 'integrated') sentences.push(RETRY);
	if (mayRepeat && isByHand) sentences.push(REST_ADVICE[how]);
	return sentences.join(' ');
}
