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
export interface Attempt
	extends Pick<Send, 'recipientHash' | 'itemIndex' | 'contentHash' | 'idHash'> {
	/** The position among the recipient's attempts in the log, from 0. */
	sequence: number;
	/** The run of the node that made it, in this execution; for a tool, the execution. */
	run: string;
	outcome: Outcome;
	/** Undefined if neither this execution nor the one that it retries has put it on record. */
	place?: RecordPlace;
	/** Whether the record was asked for its outcome: then nothing more can be found in this execution. */
	isLookedUp?: boolean;
}

/** Where an attempt is on record. */
export interface RecordPlace {
	/** The number of the execution among those that retry one another. */
	execution: number;
	/** Its number, from 0, among those at its recipient, among those with its content and, if there is a limit, among all. */
	numbers: number[];
}

/** The state of an attempt on record. Only its recipient's series shows whether it has an ID. */
export type Mark = 'begun' | 'begunWithId' | 'sent' | 'notSent';

export const toBegunMark = ({ idHash }: Pick<Send, 'idHash'>) =>
	idHash === undefined ? 'begun' : 'begunWithId';

/** The marks of attempts, by series: a recipient, or a recipient and a content. */
export type Marks = Map<string, Mark[]>;

export const toContentSeries = (one: Pick<Send, 'recipientHash' | 'contentHash'>) =>
	`${one.recipientHash}.${one.contentHash}`;
