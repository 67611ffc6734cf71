/** What is known of an attempt at a send. */
export type Outcome = Sent | Unknown | IdReserved;

interface Sent {
	/** Of the message; null if n8n crashed before it was stored. */
	id: string | number | null;
}

interface Unknown {
	unknownReason: string;
}

/** Not sent. Its "Send Once per ID" is still reserved, for this very send. */
interface IdReserved {
	idReserved: true;
}

/** All that is left of an attempt that was in progress: n8n may have ended the execution meanwhile. */
export const INTERRUPTED: Outcome = { unknownReason: 'it was interrupted' };

export function isSent(outcome: Outcome | undefined): outcome is Sent {
	return outcome !== undefined && 'id' in outcome;
}

export function isUnknown(outcome: Outcome | undefined): outcome is Unknown {
	return outcome !== undefined && 'unknownReason' in outcome;
}
