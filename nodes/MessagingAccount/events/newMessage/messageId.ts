import { InvalidInputError } from '../../errors/invalidInputError';
import { hash } from '../../shared/hash';
import { uniqueBy } from './uniqueBy';

/** Where messages have their ID, as a dot path. Empty if nowhere: their content then identifies them. */
export type IdField = string;

/** The most common first. Leaves out names that other services use for the ID of a person or session, e.g. `uid`. */
const USUAL_NAMES = [
	'id',
	'id._serialized',
	'_id',
	'message_id',
	'messageId',
	'msg_id',
	'msgId',
	'id_message',
	'idMessage',
	'uuid',
	'guid',
	'mid',
];

/** Fields that hosts wrap a message in. Others may hold the ID of a chat or sender, which many messages share. */
const WRAPPERS = ['message', 'msg', 'data', '_data', 'key', 'record', 'payload', 'item', 'object'];

const CANDIDATES: IdField[] = [
	...USUAL_NAMES,
	...WRAPPERS.flatMap((wrapper) => USUAL_NAMES.map((name) => `${wrapper}.${name}`)),
];

/**
 * Finds the field in which messages have their ID, which docs/api.md does not specify. Of the common fields, chooses the one
 * with the most different IDs, but never one with the same ID in all messages.
 */
export function findIdField(messages: unknown[]): IdField {
	const distinct = uniqueBy(messages, (message) => JSON.stringify(message));
	let found: IdField = '';
	let maxCount = 0;
	for (const field of CANDIDATES) {
		const ids = distinct.flatMap((message) => getId(message, field) ?? []);
		const count = new Set(ids).size;
		if (count <= maxCount || (count === 1 && ids.length > 1)) continue;
		found = field;
		maxCount = count;
	}
	return found;
}

/**
 * Chooses the field of the messages' IDs: the one the user set, otherwise the one found before, otherwise the one found now.
 * A field found before is only given up if no message has an ID in it any more.
 *
 * @param configuredField empty if the user set none
 * @param detectedField empty if none was found yet
 * @throws InvalidInputError if no message has an ID in the field that the user set
 */
export function chooseIdField(
	messages: unknown[],
	configuredField: IdField,
	detectedField: IdField,
): IdField {
	const isIn = (field: IdField) => messages.some((message) => getId(message, field) !== undefined);
	if (configuredField !== '') {
		if (messages.length === 0 || isIn(configuredField)) return configuredField;
		throw new InvalidInputError(
			`No message has an ID in '${configuredField}', the 'Message ID Field'`,
			'Remove the option to detect the field automatically, or enter its name as it appears in the messages, e.g. id or message.id.',
		);
	}
	return isIn(detectedField) ? detectedField : findIdField(messages) || detectedField;
}

/** Counts messages that have the key of another message but different content. */
export function countSharedIds(messages: unknown[], field: IdField): number {
	const distinct = uniqueBy(messages, (message) => JSON.stringify(message));
	return distinct.length - new Set(distinct.map((message) => getKey(message, field))).size;
}

/** Returns the ID of a message; undefined if it has none that identifies it. */
export function getId(message: unknown, field: IdField): string | undefined {
	if (field === '') return undefined;
	let value = message;
	for (const name of field.split('.')) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	// Parsing rounds larger numbers, so two IDs could have become one.
	if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
	return undefined;
}

/** Returns what is stored of a message. If it has no ID, its whole content identifies it. */
export function getKey(message: unknown, field: IdField): string {
	const id = getId(message, field);
	return id === undefined ? hash(`content ${JSON.stringify(message)}`) : createKey(id, field);
}

/** Includes the field, because the same value may mean something else in another field. */
export function createKey(id: string, field: IdField): string {
	return hash(`id ${field} ${id}`);
}
