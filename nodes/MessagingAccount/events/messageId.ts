import { InvalidInput } from '../service/errors';
import { shortHash } from '../shortHash';

/** Where a message has its id, as a dot path. Empty: nowhere; it is told apart by its content. */
export type IdField = string;

/** The most usual first. Left out is what elsewhere is the id of a person or a session, e.g. `uid`. */
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

/** What hosts wrap a message in. Other fields are not looked into: the id of a chat or a sender is in many messages. */
const WRAPPERS = ['message', 'msg', 'data', '_data', 'key', 'record', 'payload', 'item', 'object'];

const CANDIDATES: IdField[] = [
	...USUAL_NAMES,
	...WRAPPERS.flatMap((wrapper) => USUAL_NAMES.map((name) => `${wrapper}.${name}`)),
];

/**
 * Finds where messages have their id: the document does not show it. Of the usual places it is the one with the most
 * different ids, but none that is the same in all messages.
 */
export function findIdField(messages: unknown[]): IdField {
	const different = withoutCopies(messages);
	let found: IdField = '';
	let most = 0;
	for (const field of CANDIDATES) {
		const ids = different.flatMap((message) => idOf(message, field) ?? []);
		const count = new Set(ids).size;
		if (count <= most || (count === 1 && ids.length > 1)) continue;
		found = field;
		most = count;
	}
	return found;
}

/**
 * Decides where messages have their ids: where the user says, else where they were found before, else where they are found
 * now. Where they were found before is given up only when no message has an id there any more.
 *
 * @param setField what the user says; empty where nothing
 * @param foundBefore empty where nowhere, or not yet
 * @throws InvalidInput where no message has an id where the user says
 */
export function chooseIdField(
	messages: unknown[],
	setField: IdField,
	foundBefore: IdField,
): IdField {
	const isIn = (field: IdField) => messages.some((message) => idOf(message, field) !== undefined);
	if (setField !== '') {
		if (messages.length === 0 || isIn(setField)) return setField;
		throw new InvalidInput(
			`No message has an ID in '${setField}', the 'Message ID Field'`,
			'Take the option out to have it found, or enter the field as the messages have it, e.g. id or message.id.',
		);
	}
	return isIn(foundBefore) ? foundBefore : findIdField(messages) || foundBefore;
}

/** How many messages have the key of another one, and another content. */
export function sharingAmong(messages: unknown[], field: IdField): number {
	const different = withoutCopies(messages);
	return different.length - new Set(different.map((message) => keyOf(message, field))).size;
}

function withoutCopies(messages: unknown[]): unknown[] {
	return [...new Map(messages.map((message) => [JSON.stringify(message), message])).values()];
}

/** The id of a message; undefined where it has none that tells it apart. */
export function idOf(message: unknown, field: IdField): string | undefined {
	if (field === '') return undefined;
	let value = message;
	for (const name of field.split('.')) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	// Parsing has rounded what is beyond: two ids could have become one.
	if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return String(value);
	return undefined;
}

/** What is remembered of a message. Without a field, or an id in it, all that is in the message tells it apart. */
export function keyOf(message: unknown, field: IdField): string {
	const id = idOf(message, field);
	return id === undefined ? shortHash(`content ${JSON.stringify(message)}`) : keyOfId(id, field);
}

/** With the field: what is an id in one field can be something else in another. */
export function keyOfId(id: string, field: IdField): string {
	return shortHash(`id ${field} ${id}`);
}
