import { ApiError } from './apiError';
import type { Delivery } from './classifyResult';

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
}

const DELIVERY_SENTENCES: Record<Delivery, string> = {
	notSent: 'The image was not sent.',
	unknown: 'The image may have been sent: check the chat before you send it again.',
};

/**
 * Describes whatever ended the work on an item: our own errors, or n8n's, e.g. for an expression it cannot evaluate or a
 * missing credential. Omits absent fields.
 *
 * @param sends whether the operation sends
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
	const text = error instanceof ApiError ? error.details : description;
	const sentences = text ? [text] : [];
	if (error instanceof ApiError && error.httpCode) details.httpCode = error.httpCode;
	if (sends) {
		// Once a request was made, only an ApiError can end it.
		details.delivery = error instanceof ApiError ? error.delivery : 'notSent';
		sentences.push(DELIVERY_SENTENCES[details.delivery]);
	}
	if (sentences.length > 0) details.description = sentences.join(' ');
	return details;
}
