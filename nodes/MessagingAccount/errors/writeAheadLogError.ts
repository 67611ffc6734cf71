/** Sends cannot be put on record in n8n's database. Nothing was requested. */
export class WriteAheadLogError extends Error {
	override name = 'WriteAheadLogError';

	readonly description =
		'The node records each send there before its request, so that nobody gets a message twice. Check the database, then try again.';

	constructor(cause: unknown) {
		super(`n8n's database cannot be used: ${(cause as Error).message}`, { cause });
	}
}
