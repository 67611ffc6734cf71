/** The store behind "Send Once per ID" cannot be used. */
export class IdempotencyStoreError extends Error {
	override name = 'IdempotencyStoreError';

	readonly description =
		"Check n8n's database, then try again. The ID of 'Send Once per ID' may be stored already: later executions then skip it.";

	constructor(cause: unknown) {
		super(`n8n's store of processed IDs cannot be used: ${(cause as Error).message}`, { cause });
	}
}
