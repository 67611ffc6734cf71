import { getField } from '../shared/fields';
import { hash } from '../shared/hash';
import { isMutableName } from '../shared/names';
import { createPauses } from '../shared/pauses';

/**
 * Where messages have their ID: a dot path, or several with commas between them, e.g. `chat.id,message_id`. Empty if nowhere:
 * their content then identifies them.
 */
export type IdField = string;

/** A message that was listed, and what is stored of it. */
export interface KeyedMessage {
	message: unknown;
	key: string;
}

/** Counts for the work of one hash beside its text: as much as this many characters. */
const HASH_WORK = 256;

export async function keyMessages(messages: unknown[], field: IdField): Promise<KeyedMessage[]> {
	const readId = createIdReader(field);
	const keyed: KeyedMessage[] = [];
	const takePause = createPauses();
	for (const message of messages) {
		const text = toKeyText(message, field, readId(message));
		const pause = takePause(HASH_WORK + text.length);
		if (pause) await pause;
		keyed.push({ message, key: hash(text) });
	}
	return keyed;
}

/**
 * Returns what is stored of a message. If it has no ID, its content identifies it, but for fields that change. Otherwise the field
 * counts, too: the same value may mean something else in another one.
 */
export function createKey(message: unknown, field: IdField, id: string | undefined): string {
	return hash(toKeyText(message, field, id));
}

function toKeyText(message: unknown, field: IdField, id: string | undefined): string {
	return id === undefined ? `content ${toLastingContent(message)}` : `id ${field} ${id}`;
}

/** Returns all of it if all of it may change. */
function toLastingContent(message: unknown): string {
	const lasting = JSON.stringify(message, (name, value: unknown) =>
		isMutableName(name) ? undefined : value,
	);
	return lasting === '{}' ? JSON.stringify(message) : lasting;
}

/**
 * Creates the function that returns the ID of a message; undefined if it has none that identifies it. Of several fields, the
 * last one must have a value.
 */
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

/** Returns what a field adds to an ID: a number counts as its text, and null as missing. */
export function toIdPart(value: unknown): unknown {
	return typeof value === 'object' || value === undefined ? (value ?? null) : String(value);
}

function toId(value: unknown): string | undefined {
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	return typeof value === 'number' ? String(value) : undefined;
}
