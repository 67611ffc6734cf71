import { getField, isLongerThan, isObject, toPath } from '../shared/fields';
import { hash } from '../shared/hash';
import { listIdFields } from '../shared/idFieldNames';
import { isMutableName } from '../shared/names';
import { createYielder, STEP_LENGTH } from '../n8n/yieldToEventLoop';

/** The field of the messages' IDs: a dot path, or several, e.g. `chat.id,message_id`. If it is empty, their content identifies them. */
export type IdField = string;

/** A message that was listed, the key that is stored of it, and those that it may have had with another field. */
export type KeyedMessage = { message: unknown; key: string; earlierKeys?: string[] };

/** The work for one hash besides its text, in characters. */
const HASH_WORK = 256;

/**
 * Creates the key of each message, from the ID and the name of the field or, without an ID, from the lasting content; and earlier keys that
 * it may be stored under: with the ID in `oldField`, or as before it had an ID, if `isStored` says that its key is not stored.
 */
export async function keyMessages(
	messages: unknown[],
	field: IdField,
	oldField = field,
	isStored: (key: string) => boolean = () => true,
) {
	const listTexts = createTextLister(field, oldField, isStored);
	const keyed: KeyedMessage[] = [];
	const yieldToEventLoop = createYielder();
	for (const message of messages) {
		const texts = listTexts(message);
		await yieldToEventLoop(texts.reduce((sum, { length }) => sum + HASH_WORK + length, 0));
		const [key, ...earlierKeys] = texts.map((text) => hash(text));
		keyed.push({ message, key, earlierKeys });
	}
	return keyed;
}

/** Creates what lists the texts that the keys of a message are hashes of: its own, then those under which it may be stored. */
function createTextLister(field: IdField, oldField: IdField, isStored: (key: string) => boolean) {
	const [readId, readOldId] = [field, oldField].map(createIdReader);
	return (message: unknown): string[] => {
		const [id, oldId] = [readId(message), readOldId(message)];
		const own = toKeyText(message, field, id);
		// If the service has moved the ID, the old field is gone and its value is in the new one.
		const oldIds = oldField === field ? [] : [oldId, oldId ?? id];
		const ofOldField = oldIds.map((one) => toKeyText(message, oldField, one));
		// To measure a message takes longer than to look up its key.
		const isNew = () => !isStored(hash(own)) && !isLongerThan(message, MAX_MAPPED_LENGTH);
		// It may have been listed without an ID: then its content was its key.
		const mayHaveHadNone = id !== undefined && (oldField === '' || isNew());
		const withoutId = mayHaveHadNone ? listWithoutId(message, field).map(toContentText) : [];
		return [own, ...ofOldField, ...new Set(withoutId)];
	};
}

/** A longer message is not taken for one that had no ID: it is hashed for each way in which it may have been without. */
const MAX_MAPPED_LENGTH = STEP_LENGTH / 4;

/** The most fields of IDs that a message may get at once. */
const MAX_ID_FIELDS = 10;

/** Returns what a message may have been before it had its ID: without the field or what it is in, or without any ID field. */
function listWithoutId(message: unknown, field: IdField): unknown[] {
	const path = toPath(message, field.split(',').pop()!);
	// Without it, a wrapper of the content would leave nothing to compare.
	const hasMore = Object.keys(Object(message) as object).length > 2;
	const idFields = listIdFields(message).slice(0, MAX_ID_FIELDS);
	return [
		removeField(message, path),
		...(hasMore ? [removeField(message, path.slice(0, 1))] : []),
		idFields.reduce((one: unknown, idField) => removeField(one, toPath(one, idField)), message),
	];
}

function removeField(message: unknown, [name, ...rest]: string[]): unknown {
	if (!isObject(message)) return message;
	return { ...message, [name]: rest.length > 0 ? removeField(message[name], rest) : undefined };
}

function toKeyText(message: unknown, field: IdField, id: string | undefined): string {
	// The same value may mean something else in another field.
	return id === undefined ? toContentText(message) : `id ${field} ${id}`;
}

/** The most names to read in a message: some milliseconds of work. What comes after them counts, whatever its name. */
const MAX_NAMES_READ = 1000;

/** Returns the content of a message without the fields that change, or all of it if all may change. An empty field counts as missing. */
function toContentText(message: unknown): string {
	let names = 0;
	/** What is known to have something in it: each level would ask again for all below. */
	const full = new WeakSet<object>();
	const isEmpty = (value: unknown): boolean => {
		if (!isObject(value)) return (value ?? '') === '';
		const isFull = full.has(value) || !Object.values(value).every(isEmpty);
		if (isFull) full.add(value);
		return !isFull;
	};
	const lasting = JSON.stringify(message, (name, value: unknown) => {
		const isRead = name !== '' && names++ < MAX_NAMES_READ;
		return isRead && (isEmpty(value) || isMutableName(name)) ? undefined : value;
	});
	return `content ${lasting === '{}' ? JSON.stringify(message) : lasting}`;
}

/** Creates a function that returns the ID of a message; undefined if it has none. Of several fields, the last one must have a value. */
export function createIdReader(field: IdField): (message: unknown) => string | undefined {
	if (field === '') return () => undefined;
	const others = field.split(',');
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
