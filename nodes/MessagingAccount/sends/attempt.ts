import type { IDataObject } from 'n8n-workflow';

import { cleanText } from '../parameters/plainValue';
import { hash } from '../shared/hash';

/** A planned attempt has made no request yet, and one that has begun may have. */
export type Outcome =
	| { is: 'planned' | 'begun' | 'notSent' }
	/** With the id of the message; null if n8n crashed before it was stored. */
	| { is: 'sent'; id: string | number | null }
	| { is: 'unknown'; reason: string }
	/** Not sent, because its recipient has had another message. `isSent`: certainly. */
	| { is: 'changed'; isSent: boolean };

export const mayBeSent = (outcome?: Outcome) => outcome?.is === 'sent' || outcome?.is === 'unknown';

export interface Message {
	/** The key of the account if the credential gives each item its own; empty if all have the same. */
	accountKey: string;
	/** Sends to the same recipient keep their order. */
	recipient: string;
	/** Identifies the image: its URL, or the hash of a file. */
	image: IDataObject;
	/** Empty if there is none. */
	caption: string;
}

/** Where an attempt is on record: `nth` counts those at its recipient from 0, `copy` those with its content. */
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
	/** The hash from `toContent`. */
	content: string;
	/** The hash of the ID of "Send Once per ID" and the recipient; undefined if the check is off. */
	idHash?: string;
	outcome: Outcome;
	/** The place on record; undefined if neither this execution nor the one that it retries has put it there. */
	entry?: Entry;
	/** Whether its outcome comes from the record, not from the log. */
	isFound?: boolean;
}

export type SendOnceId = string | number;

/** Returns the key of an ID. IDs that look the same have the same key. */
export const toIdKey = ({ id, accountKey }: Pick<Send, 'id' | 'accountKey'>) =>
	`id:${accountKey}${cleanText(String(id)).normalize('NFC')}`;

/** The attempt that this run may make. Its outcome is its own, not that of an earlier one. */
export interface Send extends Attempt {
	earlierOutcome?: Outcome;
	/** Whether it may be made although the earlier attempt is unknown. */
	mayResend: boolean;
	/** The last mark that this run has put on record for it. */
	onRecord?: 'begun' | 'notSent';
	/** The ID of "Send Once per ID"; undefined if the check is off, and so is all that follows. */
	id?: SendOnceId;
	/** See `Message`: each account has IDs of its own. */
	accountKey: string;
	/** The send before with the same ID in this run, until the turn of this one has come. */
	previous?: Send;
	/** The end of the work on it; undefined from then on. */
	ended?: Promise<void>;
	/** Whether the ID is on record for this very send; "maybe" if n8n's database failed when it was released. */
	isReserved?: boolean | 'maybe';
	/** Set if the ID is used up: the send of this run that used it or found it used, and whether the image was certainly sent. */
	usedBy?: { first: Send; isSent: boolean };
}

/** The state of an attempt on record. Only its recipient's series shows whether it has an ID. */
export type Mark = 'begun' | 'begunWithId' | 'sent' | 'notSent';

/** The marks of attempts, by series (a recipient, or a recipient and a content). */
export type Marks = Map<string, Mark[]>;

export const toContentSeries = ({ recipient, content }: Attempt) => `${recipient}.${content}`;

/** The length in characters of 6 bits, which distinguishes the images and captions of one recipient. */
const HASH_LENGTH = 5;

/** Returns the hash of the image, and of the caption if there is one. */
export function toContent({ image, caption }: Message): string {
	return hash(JSON.stringify(image), HASH_LENGTH) + (caption && hash(caption, HASH_LENGTH));
}

export const toImage = ({ content }: Attempt) => content.slice(0, HASH_LENGTH);

/** Undefined without a caption. */
export const toCaption = ({ content }: Attempt) => content.slice(HASH_LENGTH) || undefined;

/** Returns an attempt as text, which takes less room than an object in n8n's database. Only the last part can have spaces. */
export function encodeAttempt(attempt: Attempt, { is, ...details }: Outcome): string {
	const { run, itemIndex, content, idHash, entry, isFound } = attempt;
	const place = entry ? [entry.execution, entry.nth, entry.copy].join('.') : '-';
	const detail = Object.values(details).map((one) => JSON.stringify(one));
	const found = isFound ? 'found' : '-';
	return [run, itemIndex, content, idHash ?? '-', place, found, is, ...detail].join(' ');
}

/** @param text from `encodeAttempt` */
export function decodeAttempt(recipient: string, sequence: number, text: string): Attempt {
	const [run, itemIndex, content, id, place, found, is, ...rest] = text.split(' ');
	const [execution, nth, copy] = place.split('.').map(Number);
	const entry = place === '-' ? undefined : { execution, nth, copy };
	const detail = JSON.parse(rest.join(' ') || 'null') as unknown;
	const details = {
		sent: { id: detail },
		unknown: { reason: detail },
		changed: { isSent: detail },
	};
	const outcome = { is, ...details[is as 'sent'] } as Outcome;
	const idHash = id === '-' ? undefined : id;
	const position = { recipient, sequence, run, itemIndex: Number(itemIndex) };
	return { ...position, content, idHash, outcome, entry, isFound: found === 'found' };
}
