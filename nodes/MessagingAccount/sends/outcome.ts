/** What is known of an attempt at a send. */
export type Outcome =
	/** Sent. If n8n crashed after it, the id of the message is not known. */
	| { id: string | number | null }
	| { unknownReason: string }
	/** Not sent. Its "Send Once per ID" is still reserved, for this very send. */
	| { idReserved: true };

/** If an attempt in progress is all that is left of it, n8n may have ended the execution meanwhile. */
export const INTERRUPTED: Outcome = { unknownReason: 'it was interrupted' };
