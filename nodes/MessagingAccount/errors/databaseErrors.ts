/**
 * How SQLite and PostgreSQL say that another one holds a lock, or that a row exists already, because two processes have created
 * it at once for the first key. The call that was refused has stored nothing.
 */
const BUSY = /SQLITE_BUSY|lock timeout|deadlock detected|could not serialize|unique constraint/i;

export function isBusy(error: unknown): boolean {
	return BUSY.test((error as Error).message);
}

/** For a workflow without an ID, an assertion of n8n fails; one that is not in the database violates a foreign key. */
export function isNotSaved(error: unknown): boolean {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return code === 'ERR_ASSERTION' || /foreign key constraint/i.test(String(message));
}

/** A node Remove Duplicates has taken the workflow's record for values of another kind. */
export function isOfAnotherMode(error: unknown): boolean {
	return /incompatible setting/i.test(String((error as Error).message));
}

// What to do, and what follows if nobody waits for the call.

export const SENDS_NEEDED =
	'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

export const SENDS_FAILED = 'A retry may report sent images as unknown.';

export const IDS_NEEDED =
	"Check it, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";

export const IDS_FAILED =
	'Some IDs of this execution may be missing: later executions may send these images again.';
