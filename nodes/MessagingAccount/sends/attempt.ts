import type { IDataObject } from 'n8n-workflow';

import type { SendOnceId } from '../parameters/sendOptions';
import { hash } from '../shared/hash';

/** The state of a send. */
export type Outcome =
	/** No request was made yet. */
	| { is: 'planned' }
	/** A request may have been made. */
	| { is: 'begun' }
	/** With the id of the message; null if n8n crashed before it was stored. */
	| { is: 'sent'; id: string | number | null }
	| { is: 'unknown'; reason: string }
	| { is: 'notSent' };

/** Whether the service may have carried out the send. */
export function mayBeSent(outcome?: Outcome): boolean {
	return outcome?.is === 'sent' || outcome?.is === 'unknown';
}

/** The recipient and the content of a send. */
export interface Message {
	/** Sends to the same recipient keep their order. */
	recipient: string;
	/** Identifies the image: its URL, or the hash of a file. */
	image: IDataObject;
	/** Empty if there is none. */
	caption: string;
}

/** An attempt's place on record: its number at its recipient in its execution, from 0, and among the later ones with its content. */
export interface Entry {
	/** The number of the execution among those that retry one another. */
	execution: number;
	nth: number;
	copy: number;
}

/** An attempt at a send, as the log keeps it. */
export interface Attempt {
	/** The hash of the recipient. */
	recipient: string;
	/** The position among the recipient's attempts in the log, from 0. */
	sequence: number;
	/** The run of the node that made it, in this execution; for a tool, the execution. */
	run: string;
	itemIndex: number;
	/** The hashes from `toContent`. */
	content: string;
	outcome: Outcome;
	/** The place on record; undefined if neither this execution nor the one that it retries has put it there. */
	entry?: Entry;
	/** Whether its outcome is that of an attempt on record that the log did not know. */
	isFound?: boolean;
}

/** The attempt that this run may make. Its outcome is its own, not that of an earlier one. */
export interface Send extends Attempt {
	/** The outcome of an earlier attempt at it. */
	earlierOutcome?: Outcome;
	/** Whether it may be made although the earlier attempt is unknown. */
	mayResend: boolean;
	claim?: Claim;
	/** The last mark that this run has put on record for it. */
	onRecord?: 'begun' | 'notSent';
}

/** The claim of one item to its ID of "Send Once per ID". */
export interface Claim {
	id: SendOnceId;
	send: Send;
	/** The claim of the item before with the same ID in this run, until the turn of this one has come. */
	previous?: Claim;
	/** The end of the work on the item; undefined from then on. */
	ended?: Promise<void>;
	end(): void;
	/** Whether the ID is on record for this very send; "maybe" if n8n's database failed when it was released. */
	isReserved?: boolean | 'maybe';
	/** The item of this run that found the ID used up, if it is, and whether the image was certainly sent. */
	usedBy?: { first: Send; isSent: boolean };
}

/** The length in characters of 6 bits, which distinguishes the images and captions of one recipient. */
const HASH_LENGTH = 5;

/** Returns the hash of the image, and of the caption if there is one. */
export function toContent({ image, caption }: Message): string {
	return hash(JSON.stringify(image), HASH_LENGTH) + (caption && hash(caption, HASH_LENGTH));
}

/** Returns the hashes of a content; the second one is empty if there is no caption. */
export function splitContent(content: string): [image: string, caption: string] {
	return [content.slice(0, HASH_LENGTH), content.slice(HASH_LENGTH)];
}

/** Returns an attempt as text, which takes less room than an object in n8n's database. Only the last part can have spaces. */
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
