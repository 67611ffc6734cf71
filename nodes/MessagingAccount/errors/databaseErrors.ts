/**
 * Messages of SQLite and PostgreSQL that another process holds a lock, or that a row exists already, because two processes have created it
 * at the same time for the first key. The call that was refused has stored nothing.
 */
const BUSY = /SQLITE_BUSY|lock timeout|deadlock detected|could not serialize|unique constraint/i;

export function isBusy(error: unknown): boolean {
	return BUSY.test((error as Error).message);
}

/** Whether the workflow is not saved: without an ID, an assertion of n8n fails; outside the database, a foreign key is violated. */
export function isNotSaved(error: unknown): boolean {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return code === 'ERR_ASSERTION' || /foreign key constraint/i.test(String(message));
}

/** Whether a Remove Duplicates node has taken the workflow's record for values of another kind. */
export function isOfAnotherMode(error: unknown): boolean {
	return /incompatible setting/i.test(String((error as Error).message));
}

// The advice, and the consequence if nobody waits for the call.

export const SENDS_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

export const SENDS_FAILED =
	'A retry of this execution may report images that were sent as unknown.';

export const IDS_NEEDED =
	"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";

export const IDS_FAILED =
	'Some IDs of this execution may be missing: later executions may send these images again.';
