import type { IDataObject } from 'n8n-workflow';

import type { SendOnceId } from '../parameters/sendOptions';
import { hash } from '../shared/hash';

/** What became of a send. */
export type Outcome =
	/** No request was made yet. */
	| { is: 'planned' }
	/** A request may have been made. */
	| { is: 'begun' }
	/** The id of the message; null if n8n crashed before it was stored. */
	| { is: 'sent'; id: string | number | null }
	| { is: 'unknown'; reason: string }
	| { is: 'notSent' };

/** Whether the service may have carried out the send. */
export function mayBeSent(outcome?: Outcome): boolean {
	return outcome?.is === 'sent' || outcome?.is === 'unknown';
}

/** What a send is about. */
export interface Message {
	/** Sends to the same recipient keep their order. */
	recipient: string;
	/** Identifies the image: its URL, or the hash of a file. */
	image: IDataObject;
	/** Empty if there is none. */
	caption: string;
}

/** Where an attempt is on record: the n-th of its execution at its recipient, from 0, and the k-th of those later ones with its content. */
export interface Entry {
	/** The number of the execution among those that retry one another. */
	execution: number;
	nth: number;
	copy: number;
}

/** An attempt at a send, as the log keeps it. */
export interface Attempt {
	/** Hash of the recipient. */
	recipient: string;
	/** The position among the recipient's attempts in the log, from 0. */
	sequence: number;
	/** The run of the node that made it, in this execution; for a tool, the execution. */
	run: string;
	itemIndex: number;
	/** From `toContent`. */
	content: string;
	outcome: Outcome;
	/** Undefined if this execution, or the one that it retries, has not put it on record. */
	entry?: Entry;
	/** Whether its outcome is that of an attempt on record that the log did not know. */
	isFound?: boolean;
}

/** The attempt that this run makes, or not: its outcome is not that of an earlier one. */
export interface Send extends Attempt {
	/** What became of an earlier attempt at it. */
	earlierOutcome?: Outcome;
	/** Whether it is made although the earlier attempt is unknown. */
	mayResend: boolean;
	claim?: Claim;
	/** What this run has put on record of it. */
	onRecord?: 'begun' | 'notSent';
}

/** The ID of "Send Once per ID" of one item. */
export interface Claim {
	id: SendOnceId;
	send: Send;
	/** That of the item before in this run with the same ID, until its turn has come. */
	previous?: Claim;
	/** Resolves when the work on the item has ended; undefined from then on. */
	ended?: Promise<void>;
	end(): void;
	/** Whether the ID is on record for this very send; "maybe" if n8n's database failed when it was released. */
	isReserved?: boolean | 'maybe';
	/** If the ID is used up: the item in this run that has found out, and whether the image was sent for certain. */
	usedBy?: { first: Send; isSent: boolean };
}

/** In characters of 6 bits: tells apart the images and captions of one recipient. */
const HASH_LENGTH = 5;

/** Returns the hash of the image, and of the caption if there is one. */
export function toContent({ image, caption }: Message): string {
	return hash(JSON.stringify(image), HASH_LENGTH) + (caption && hash(caption, HASH_LENGTH));
}

/** @returns hashes; the second one is empty if there is no caption */
export function splitContent(content: string): [image: string, caption: string] {
	return [content.slice(0, HASH_LENGTH), content.slice(HASH_LENGTH)];
}

/** Texts take less room than objects where n8n stores an execution. Only the last part can have spaces. */
export function encodeAttempt(attempt: Attempt, outcome: Outcome): string {
	const { run, itemIndex, content, entry, isFound } = attempt;
	const place = entry ? `${entry.execution}.${entry.nth}.${entry.copy}` : '-';
	const text = `${run} ${itemIndex} ${content} ${place} ${isFound ? 'found' : '-'} ${outcome.is}`;
	if (outcome.is === 'sent') return `${text} ${JSON.stringify(outcome.id)}`;
	return outcome.is === 'unknown' ? `${text} ${JSON.stringify(outcome.reason)}` : text;
}

/** @param text from `encodeAttempt` */
export function decodeAttempt(recipient: string, sequence: number, text: string): Attempt {
	const [run, itemIndex, content, place, found, is, ...rest] = text.split(' ');
	const [execution, nth, copy] = place.split('.').map(Number);
	const entry = place === '-' ? undefined : { execution, nth, copy };
	const detail = JSON.parse(rest.join(' ') || 'null') as string | number | null;
	const details = { sent: { id: detail }, unknown: { reason: detail } }[is];
	const outcome = { is, ...details } as Outcome;
	const position = { recipient, sequence, run, itemIndex: Number(itemIndex) };
	return { ...position, content, outcome, entry, isFound: found === 'found' };
}
