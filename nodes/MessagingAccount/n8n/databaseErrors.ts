/** n8n's database, where the node keeps what must survive, cannot be used. */
export class DatabaseError extends Error {
	override name = 'DatabaseError';

	/** @param description why the node needs it, and what to do */
	constructor(
		cause: unknown,
		readonly description: string,
	) {
		const { message } = cause as Error;
		const reason = means(cause, 'busy') ? 'it is locked, e.g. during a backup' : message;
		super(`n8n's database cannot be used: ${reason}`, { cause });
	}
}

/** Codes and messages of errors, by what they mean. */
const SIGNS = {
	/** SQLite and PostgreSQL, about a lock, or a row that two processes created at the same time. The call has stored nothing. */
	busy: /SQLITE_BUSY|lock timeout|deadlock detected|could not serialize|unique constraint/i,
	/** Without an ID of the workflow, an assertion of n8n fails; outside the database, a foreign key is violated. */
	notSaved: /^ERR_ASSERTION |foreign key constraint/i,
	/** A Remove Duplicates node has taken the workflow's record for values of another kind. */
	ofAnotherMode: /incompatible setting/i,
};

export function means(error: unknown, what: keyof typeof SIGNS): boolean {
	const { code, message } = error as { code?: unknown; message?: unknown };
	return SIGNS[what].test(`${String(code)} ${String(message)}`);
}
