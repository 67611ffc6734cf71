import { InvalidInputError } from '../../errors/errorClasses';
import { getField, listPlainFields, MAX_FIELDS } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';
import { ID_NAMES, listIdFields } from '../../shared/idPaths';
import { isMutableName, isTimeName, toPlainName } from '../../shared/names';
import { createIdReader, toIdPart, type IdField } from '../../messages/messageKey';
import { MAX_COMPARED } from '../../messages/messageOrder';

/** The number of messages on a page with which a field was not found by chance. */
const ENOUGH = 10;

export interface ChosenIdField {
	field: IdField;
	/** The largest number of messages on one page that had their IDs in it, up to `ENOUGH`. */
	evidence: number;
	/** The number of messages of the page that differ from another one with the same ID. */
	shared: number;
}

/**
 * Chooses the field of the messages' IDs, which docs/api.md does not specify: the one that the user set, or that was found before, or now.
 * A field found before is given up for one that identifies more messages of this page. It stays if it was found on more messages than that,
 * and if no messages of this page share an ID. If messages share an ID although they differ, more fields are added to distinguish them: a
 * service does not list a message twice on a page with different content.
 * @param messages of one page @param configuredField empty if the user set none @param before undefined if none was found yet
 * @throws InvalidInputError if no message has an ID in the field that the user set
 */
export function chooseIdField(
	messages: unknown[],
	configuredField: IdField,
	before: Pick<ChosenIdField, 'field' | 'evidence'> = { field: '', evidence: 0 },
): ChosenIdField {
	if (configuredField !== '') return checkConfigured(messages, configuredField);
	const compared = messages.slice(0, MAX_COMPARED);
	let { field, evidence } = before;
	const count = countIds(compared, field);
	if (count < compared.length) {
		const found = findIdField(compared);
		const foundCount = countIds(compared, found);
		const isRefuted = foundCount >= evidence || findSharedIds(messages, field).length > 0;
		if (foundCount > count && isRefuted) ({ field, evidence } = { field: found, evidence: 0 });
	}
	field = addFields(messages, field);
	const found = Math.min(countIds(compared, field), ENOUGH);
	return { field, evidence: Math.max(evidence, found), shared: 0 };
}

function checkConfigured(messages: unknown[], field: IdField): ChosenIdField {
	if (messages.length > 0 && countIds(messages, field) === 0) {
		throw new InvalidInputError(
			`No message has an ID in '${field}', the 'Message ID Field'`,
			'Remove the option to detect the field automatically, or enter its name as it appears in the messages, e.g. id or message.id.',
		);
	}
	return { field, evidence: 0, shared: countApart(findSharedIds(messages, field)) };
}

/** Returns the usual field with the most different IDs, but never one with the same ID in all messages; empty if there is none. */
export function findIdField(messages: unknown[]): IdField {
	const distinct = [...new Map(messages.map((one) => [JSON.stringify(one), one])).values()];
	const fields = [...new Set(distinct.flatMap(listIdFields))].slice(0, MAX_FIELDS);
	const counted = fields.map((field) => {
		const path = field.split('.');
		const ids = distinct.map(createIdReader(field)).filter((id) => id !== undefined);
		const count = new Set(ids).size;
		// The lower, the more usual the field is.
		const order = path.length * ID_NAMES.length + ID_NAMES.indexOf(toPlainName(path.at(-1)!));
		return { field, count: count === 1 && ids.length > 1 ? 0 : count, order };
	});
	const [best] = counted.sort((a, b) => b.count - a.count || a.order - b.order);
	return best && best.count > 0 ? best.field : '';
}

function countIds(messages: unknown[], field: IdField): number {
	return new Set(messages.map(createIdReader(field)).filter((id) => id !== undefined)).size;
}

/** The most fields to add: more would not distinguish messages. */
const MAX_ADDED = 3;

/** Adds the fields without which messages share an ID. The field of their own IDs stays the last. */
function addFields(messages: unknown[], field: IdField): IdField {
	const chat = findChat(messages, field);
	let widened = chat === undefined ? field : `${chat},${field}`;
	for (let i = 0; i < MAX_ADDED; i++) {
		const added = findDifference(findSharedIds(messages, widened));
		if (added === undefined) break;
		widened = `${added},${widened}`;
	}
	return widened;
}

/** An ID that is counted up, perhaps from 1 in each chat. Longer ones are unique, and those of several fields are JSON. */
const COUNTED_ID = /^\d{1,10}$/;

/** Returns the field of the chat if IDs may be counted per chat: two equal ones need not be listed at the same time. */
function findChat(messages: unknown[], field: IdField): string | undefined {
	const ids = messages.map(createIdReader(field));
	if (!ids.every((id) => id === undefined || COUNTED_ID.test(id))) return undefined;
	const withId = messages.filter((_, i) => ids[i] !== undefined).slice(0, MAX_COMPARED);
	const inAll = (path: string) => withId.map(createIdReader(path)).every((id) => id !== undefined);
	return listPlainFields(withId[0]).find(([path]) => CHAT_ID.test(path) && inAll(path))?.[0];
}

/** Returns the messages that share an ID although they differ in something that does not change, grouped by ID. */
function findSharedIds(messages: unknown[], field: IdField): unknown[][] {
	const groups = groupBy(messages, createIdReader(field));
	groups.delete(undefined);
	let left = MAX_COMPARED;
	return [...groups.values()].flatMap((group) => {
		const some = group.length > 1 ? group.slice(0, Math.max(0, left)) : [];
		left -= some.length;
		return listStableFields([some]).some((path) => countApart([some], path) > 0) ? [some] : [];
	});
}

/** Returns the fields of the messages that seem not to change. */
function listStableFields(groups: unknown[][]): string[] {
	const paths = new Map(groups.flat().flatMap(listPlainFields)).keys();
	return [...paths]
		.slice(0, MAX_FIELDS)
		.filter((path) => !isMutableName(path) && !isChanging(path) && !path.includes(','));
}

/** Finds what distinguishes messages with the same ID: the chat if possible, or the sender, a time, or another field that seems not to change. */
function findDifference(groups: unknown[][]): string | undefined {
	return listStableFields(groups)
		.map((path) => ({ path, order: rank(path), apart: countApart(groups, path) }))
		.filter(({ apart }) => apart > 0)
		.sort((a, b) => a.order - b.order || b.apart - a.apart)[0]?.path;
}

/** Counts the messages that differ from others of their group: in one field or, without a path, in anything. */
function countApart(groups: unknown[][], path: string | string[] = []): number {
	const read = (message: unknown) => JSON.stringify(toIdPart(getField(message, path)));
	return groups.reduce((sum, group) => sum + new Set(group.map(read)).size - 1, 0);
}

/** The ID of the chat itself, e.g. `chat_id`, `chat.id` or `remoteJid`: never `chat_name` or `chat.last_message_id`, which change. */
const CHAT_ID =
	/^(\w+\.)?((remote|message|source)?_?(chat|conversation|dialog|thread|room|channel|group|peer)[._-]?(id|jid|uuid|guid|key)|(remote_?)?jid)$/i;
/** What changes with the messages, and what somebody can change of a chat or a person. */
const PASSING = /size|members|participants|unread|muted|archived|presence|online|typing/i;
const DESCRIPTION = /name|title|subject|topic|descri|avatar|picture|photo|icon|total|last|latest/i;
const CHAT_NAME = /chat|conversation|dialog|thread|room|channel|group|peer|jid/i;
const SENDER_NAME = /from|sender|author|user|contact|phone|number/i;
const ID_NAME = /(^|[._])id$|[a-z]Id$|jid$/i;

function isChanging(path: string): boolean {
	const isOfChatOrPerson = CHAT_NAME.test(path) || SENDER_NAME.test(path);
	return PASSING.test(path) || (isOfChatOrPerson && DESCRIPTION.test(path));
}

/** Returns the rank of a field: the lower it is, the better the field distinguishes messages with the same ID. */
function rank(path: string): number {
	if (CHAT_ID.test(path)) return -1;
	const isId = ID_NAME.test(path) || !path.includes('.');
	const kind = [CHAT_NAME.test(path), SENDER_NAME.test(path), isTimeName(path), true].indexOf(true);
	return 2 * kind + (isId ? 0 : 1);
}
