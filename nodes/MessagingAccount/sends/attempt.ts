import type { RecordPlace } from './marks';
import type { Send } from './send';

/** What is known of an attempt. One that has begun may have reached the service. */
export type Outcome =
	| { is: 'planned' | 'begun' | 'notSent' }
	/** With the id of the message; null if n8n crashed before it was stored. */
	| { is: 'sent'; id: string | number | null }
	| { is: 'unknown'; reason: string }
	/** Not sent, because its recipient has had another message. `isSent`: certainly. */
	| { is: 'changed'; isSent: boolean };

/** What is known of earlier attempts at a send, if anything was, or may have been, sent. */
export type EarlierOutcome = Extract<Outcome, { is: 'sent' | 'unknown' | 'changed' }>;

export const unknownBecause = (reason: string): EarlierOutcome => ({ is: 'unknown', reason });

export const mayBeSent = (outcome?: Outcome) => outcome?.is === 'sent' || outcome?.is === 'unknown';

/** An attempt at a send, as the send log keeps it. */
export interface Attempt extends Pick<Send, 'recipientHash' | 'itemIndex' | 'content' | 'idHash'> {
	/** The position among the recipient's attempts in the log, from 0. */
	sequence: number;
	/** The run of the node that made it, in this execution; for a tool, the execution. */
	run: string;
	outcome: Outcome;
	/** Undefined if neither this execution nor the one that it retries has put it on record. */
	place?: RecordPlace;
	/** Whether the record was asked for its outcome: then nothing more can be found. */
	isLookedUp?: boolean;
}
