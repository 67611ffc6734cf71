import type { IDataObject } from 'n8n-workflow';

import { hash } from '../shared/hash';

/** What became of a send. */
export type Fate =
	/** No request was made. */
	| { is: 'planned' }
	/** A request may have been made. */
	| { is: 'begun' }
	/** The id of the message; null if n8n crashed before it was stored. */
	| { is: 'sent'; id: string | number | null }
	| { is: 'unknown'; reason: string }
	/** "Send Once per ID" may still be reserved, for this very send. */
	| { is: 'notSent'; idReserved?: true };

/** Whether the service may have carried out the send. */
export function mayBeSent(fate?: Fate): boolean {
	return fate?.is === 'sent' || fate?.is === 'unknown';
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

/** An attempt at a send, as the log keeps it, or the record. */
export interface Attempt {
	/** Hash of the recipient. With the number, it identifies the send within an execution and its retries. */
	recipient: string;
	/** From 0 for each recipient. */
	number: number;
	/** The round of a loop that made it; for a tool, the execution. */
	round: string;
	itemIndex: number;
	/** From `toContent`; empty if it is not known after a crash. */
	content: string;
	fate: Fate;
	/** Not, as begun by this run or by another one, or as sent. */
	onRecord: 'no' | 'mine' | 'others' | 'sent';
}

/** The attempt that this run makes, or not: its fate is not that of an earlier one. */
export interface Send extends Attempt {
	/** The outcome of an earlier attempt. */
	earlier?: Fate;
	/** This execution has taken it off the record. Another process, e.g. a worker, may write it back. */
	isTakenOff?: boolean;
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

export function toSlotKey({ recipient, number }: Pick<Attempt, 'recipient' | 'number'>): string {
	return `${recipient}.${number}`;
}

/** Texts take less room than objects where n8n stores an execution. Only the last part of the fate can have spaces. */
export function encodeAttempt({ round, itemIndex, content, fate }: Attempt): string {
	return [round, itemIndex, content, fate.is, ...encodeDetail(fate)].join(' ');
}

function encodeDetail(fate: Fate): string[] {
	if (fate.is === 'sent') return [JSON.stringify(fate.id)];
	if (fate.is === 'unknown') return [fate.reason];
	return fate.is === 'notSent' && fate.idReserved ? ['idReserved'] : [];
}

/** @param key from `toSlotKey` @param text from `encodeAttempt` */
export function decodeAttempt(key: string, text: string): Attempt {
	const [recipient, number] = key.split('.');
	const [round, itemIndex, content, is, ...detail] = text.split(' ');
	const fate = decodeFate(is as Fate['is'], detail.join(' '));
	const slot = { recipient, number: Number(number) };
	return { ...slot, round, itemIndex: Number(itemIndex), content, fate, onRecord: 'no' };
}

function decodeFate(is: Fate['is'], detail: string): Fate {
	if (is === 'sent') return { is, id: JSON.parse(detail) as string | number | null };
	if (is === 'unknown') return { is, reason: detail };
	// All that is left of one that was in progress: n8n may have ended the execution meanwhile.
	if (is === 'begun') return { is: 'unknown', reason: 'it was interrupted' };
	return detail === 'idReserved' ? { is: 'notSent', idReserved: true } : { is };
}
