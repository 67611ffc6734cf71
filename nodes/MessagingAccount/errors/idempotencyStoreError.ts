/** The store behind "Send Once per ID" cannot be used. */
export class IdempotencyStoreError extends Error {
	override name = 'IdempotencyStoreError';

	readonly description =
		"Nothing was sent. If the ID is stored for 'Send Once per ID' all the same, later executions may skip it.";

	constructor(cause: unknown) {
		super(`n8n's store of processed IDs cannot be used: ${(cause as Error).message}`, { cause });
	}
}
