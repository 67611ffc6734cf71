import { ApiError } from '../errors/errorClasses';

export const PREVIOUS_MAY_HAVE_SENT = 'This item was not sent now, but may have been earlier.';

const ROW_MAY_BE_EDITED =
	'This item was not sent now. If you edited its row after the first attempt, its image may already have been sent: check the chat before you send it again.';

export function createUnknownError(reason: string): ApiError {
	return create(
		`It is not known whether an earlier attempt sent this item (${reason})`,
		"This item was not sent again. If nothing arrived, send it from your phone. Or turn on 'Resend When Uncertain', which resends all such items, save, and choose 'Retry with currently saved workflow' in 'Executions', if n8n still offers it.",
	);
}

/** Returns the hint about recipients who have, or may have, an earlier version of their items; none without such recipients. */
export function describeChanged(count: number): string[] {
	const recipients = count === 1 ? '1 recipient' : `${count} recipients`;
	const hint = `${recipients} received, or may have received, an earlier version of their image, or the same from another account: see the items with 'reason' changed. To send the new version, execute the workflow with only these rows; with 'Send Once per ID', give them new IDs.`;
	return count > 0 ? [hint] : [];
}

/** Creates the error for anything unexpected after a request was made: it must not look as if nothing was sent. */
export function createUnexpectedError(error: unknown): ApiError {
	const message = `The node stopped unexpectedly while sending (${(error as Error).name})`;
	const description = 'This is a fault of the node: please report it with this message.';
	return new ApiError(message, { description, result: 'unusable' });
}

/**
 * Creates the error of an item that failed before its request, although an earlier attempt at it may have sent something.
 * @param isKnown whether there certainly was one; otherwise it is possible if the row was edited after a crash
 */
export function addEarlierAttempt(error: unknown, isKnown: boolean): ApiError {
	const { message, description } = error as { message: string; description?: string | null };
	const text = [description, isKnown && PREVIOUS_MAY_HAVE_SENT].filter(Boolean).join(' ');
	return create(message, text, isKnown ? undefined : ROW_MAY_BE_EDITED);
}

function create(message: string, description: string, deliverySentence?: string): ApiError {
	return new ApiError(message, { description, result: 'notMade', deliverySentence });
}
