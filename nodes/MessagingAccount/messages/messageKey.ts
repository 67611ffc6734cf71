import { getField, isObject } from '../shared/fields';
import { hash } from '../shared/hash';
import { listIdFields } from '../shared/idPaths';
import { isMutableName } from '../shared/names';
import { createYielder } from '../n8n/yieldToEventLoop';

/** The field of the messages' IDs: a dot path, or several, e.g. `chat.id,message_id`. If it is empty, their content identifies them. */
export type IdField = string;

/** A message that was listed, and the key that is stored of it. */
export type KeyedMessage = { message: unknown; key: string };

/** The work for one hash besides its text, in characters. */
const HASH_WORK = 256;

export async function keyMessages(messages: unknown[], field: IdField): Promise<KeyedMessage[]> {
	const readId = createIdReader(field);
	const keyed: KeyedMessage[] = [];
	const yieldToEventLoop = createYielder();
	for (const message of messages) {
		const text = toKeyText(message, field, readId(message));
		const pause = yieldToEventLoop(HASH_WORK + text.length);
		if (pause) await pause;
		keyed.push({ message, key: hash(text) });
	}
	return keyed;
}

/** Returns the key that is stored of a message: from its ID and the name of the field or, without an ID, from its lasting content. */
export function createKey(message: unknown, field: IdField, id: string | undefined): string {
	return hash(toKeyText(message, field, id));
}

/** The most fields of IDs that a message may get at once. */
const MAX_ID_FIELDS = 10;

/** Returns the keys of a message from before it had its ID: without the field, with null in it, or without any field of an ID. */
export function createEarlierKeys(message: unknown, field: IdField): string[] {
	const path = field.split(',').pop()!.split('.');
	const without = (one: unknown, idField: string) => replaceField(one, idField.split('.'));
	const earlier = [
		replaceField(message, path),
		replaceField(message, path, null),
		listIdFields(message).slice(0, MAX_ID_FIELDS).reduce(without, message),
	];
	return earlier.map((one) => createKey(one, '', undefined));
}

/** Returns a copy with another value at the path; undefined leaves the field out, and each object that has nothing else. */
function replaceField(message: unknown, [name, ...rest]: string[], value?: null): unknown {
	if (!isObject(message)) return message;
	const inner = rest.length > 0 ? replaceField(message[name], rest, value) : value;
	const isLeftOut = inner === undefined || (isObject(inner) && Object.keys(inner).length === 0);
	const kept = Object.entries(message).filter(([key]) => key !== name || !isLeftOut);
	return Object.fromEntries(kept.map(([key, one]) => [key, key === name ? inner : one]));
}

function toKeyText(message: unknown, field: IdField, id: string | undefined): string {
	// The same value may mean something else in another field.
	return id === undefined ? `content ${toLastingContent(message)}` : `id ${field} ${id}`;
}

/** The most names to read in a message: some milliseconds of work. What comes after them counts, whatever its name. */
const MAX_NAMES = 1000;

/** Returns the content of a message without the fields that change, or all of it if all may change. */
function toLastingContent(message: unknown): string {
	let names = 0;
	const lasting = JSON.stringify(message, (name, value: unknown) =>
		names++ < MAX_NAMES && isMutableName(name) ? undefined : value,
	);
	return lasting === '{}' ? JSON.stringify(message) : lasting;
}

/** Creates a function that returns the ID of a message; undefined if it has none. Of several fields, the last one must have a value. */
export function createIdReader(field: IdField): (message: unknown) => string | undefined {
	if (field === '') return () => undefined;
	const others = field.split(',').map((path) => path.split('.'));
	const last = others.pop()!;
	return (message) => {
		const id = toId(getField(message, last));
		if (id === undefined || others.length === 0) return id;
		return JSON.stringify([...others.map((path) => toIdPart(getField(message, path))), id]);
	};
}

/** Returns the part of an ID from one field: a number counts as its text, and null as missing. */
export function toIdPart(value: unknown): unknown {
	if (value === undefined || value === null) return null;
	return typeof value === 'object' ? value : String(value);
}

/** A longer text is no ID: to compare many of them takes long. */
const MAX_ID_LENGTH = 1000;

function toId(value: unknown): string | undefined {
	if (typeof value === 'string')
		return value.length > MAX_ID_LENGTH || value.trim() === '' ? undefined : value;
	return typeof value === 'number' ? String(value) : undefined;
}
