import { ApiError } from './errorClasses';

export const PREVIOUS_MAY_HAVE_SENT = 'This attempt sent nothing, but an earlier one may have.';

const ROW_MAY_BE_EDITED =
	'This attempt sent nothing, but if this row was edited, an earlier one may have sent its image: check the chat before you send it again.';

export function createUnknownError(reason: string): ApiError {
	return create(
		`An earlier attempt to send this item ended without a clear result (${reason})`,
		"Nothing was sent this time. Turn on 'Resend When Uncertain' to send it again, at the risk of a second message.",
	);
}

/** Returns the hint about recipients who received an earlier version of their items; none without such recipients. */
export function describeChanged(count: number): string[] {
	const recipients = count === 1 ? '1 recipient' : `${count} recipients`;
	const hint = `${recipients} had received an earlier version in this execution. To send them the new one, start the workflow again.`;
	return count > 0 ? [hint] : [];
}

/** Creates the error for anything unexpected after a request was made: it must not look as if nothing was sent. */
export function createUnexpectedError(error: unknown): ApiError {
	return create('Unexpected error while sending', `n8n reports: ${(error as Error).name}.`);
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
	return new ApiError(message, { description, result: 'unusable', deliverySentence });
}
