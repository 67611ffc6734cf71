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
 * A field found before is given up for one that identifies more messages of this page, if these are no fewer than it was found on, or if
 * messages of this page share IDs in it. If messages share an ID although they differ, more fields are added to distinguish them: a service
 * does not list a message twice on a page with different content.
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
	const countBefore = countIds(compared, before.field);
	const found = countBefore === compared.length ? before.field : findIdField(compared);
	const countFound = countIds(compared, found);
	const isBetter =
		countFound > countBefore &&
		(countFound >= before.evidence || findSharedIds(messages, before.field).length > 0);
	const field = addFields(messages, addChat(messages, isBetter ? found : before.field));
	const evidenceNow = Math.min(countIds(compared, field), ENOUGH);
	const evidence = isBetter ? evidenceNow : Math.max(before.evidence, evidenceNow);
	return { field, evidence, shared: countShared(messages, field) };
}

function checkConfigured(messages: unknown[], field: IdField): ChosenIdField {
	if (messages.length > 0 && countIds(messages, field) === 0) {
		throw new InvalidInputError(
			`No message has an ID in '${field}', the 'Message ID Field'`,
			'Remove the option to detect the field automatically, or enter its name as it appears in the messages, e.g. id or message.id.',
		);
	}
	return { field, evidence: 0, shared: countShared(messages, field) };
}

/** Returns the usual field with the most different IDs, but never one with the same ID in all messages; empty if there is none. */
function findIdField(messages: unknown[]): IdField {
	const fields = [...new Set(messages.flatMap(listIdFields))].slice(0, MAX_FIELDS);
	const counted = fields.map((field) => {
		const path = field.split('.');
		const ids = readIds(messages, field);
		const count = new Set(ids).size;
		const isShared = count === 1 && !isOneMessage(messages, field);
		// The lower, the more usual the field is.
		const order = path.length * ID_NAMES.length + ID_NAMES.indexOf(toPlainName(path.at(-1)!));
		return { field, count: isShared ? 0 : count, order };
	});
	const [best] = counted.sort((a, b) => b.count - a.count || a.order - b.order);
	return best && best.count > 0 ? best.field : '';
}

/** Whether the messages that have an ID are one, which is listed several times. Ten are compared: to read many may take long. */
function isOneMessage(messages: unknown[], field: IdField): boolean {
	const readId = createIdReader(field);
	const withId = messages.filter((one) => readId(one) !== undefined).slice(0, ENOUGH);
	const first = withId.length > 1 ? JSON.stringify(withId[0]) : '';
	return withId.slice(1).every((one) => JSON.stringify(one) === first);
}

const readIds = (messages: unknown[], field: IdField): string[] =>
	messages.map(createIdReader(field)).filter((id) => id !== undefined);

const countIds = (messages: unknown[], field: IdField) => new Set(readIds(messages, field)).size;

/** The most fields to add: more would not distinguish messages. */
const MAX_ADDED = 3;

/** Adds the fields without which messages share an ID. The field of their own IDs stays the last. */
function addFields(messages: unknown[], field: IdField): IdField {
	let fields = field;
	for (let count = 0; count < MAX_ADDED; count++) {
		const added = findDifference(findSharedIds(messages, fields));
		if (added === undefined) break;
		fields = `${added},${fields}`;
	}
	return fields;
}

/** An ID that is counted up, perhaps from 1 in each chat. Longer ones are unique. */
const COUNTED_ID = /^\D{0,10}0*\d{1,10}(\.0)?$/;

/**
 * Adds fields of the chat until each message with an ID that may be counted per chat has one: two equal IDs need not be listed at the same
 * time. The chat itself comes before the channel, group or room that it may be in.
 */
function addChat(messages: unknown[], field: IdField): IdField {
	const own = field.split(',').at(-1)!;
	const readId = createIdReader(own);
	const isCounted = (message: unknown) => COUNTED_ID.test(readId(message) ?? '');
	const counted = messages.filter(isCounted).slice(0, MAX_COMPARED);
	const wrapper = own.split('.').slice(0, -1);
	const listChats = (message: unknown) => [
		...listPlainFields(message).map(([path]) => path),
		...listPlainFields(getField(message, wrapper)).map(([path]) => [...wrapper, path].join('.')),
	];
	const has = (message: unknown, path: string) => toIdPart(getField(message, path)) !== null;
	const chats = [...new Set(counted.flatMap(listChats))]
		.filter((path) => NAMES.chatId.test(path) && !NAMES.other.test(path))
		.map((path) => ({
			path,
			isItself: Number(NAMES.chatItself.test(path)),
			count: counted.filter((one) => has(one, path)).length,
		}))
		.sort((a, b) => b.isItself - a.isItself || b.count - a.count);
	let fields = field.split(',');
	for (const { path: chat } of chats.slice(0, MAX_FIELDS)) {
		const chosen = fields.filter((path) => NAMES.chatId.test(path));
		const isWithout = (one: unknown) => !chosen.some((path) => has(one, path));
		const isNeeded = counted.some((one) => isWithout(one) && has(one, chat));
		if (isNeeded && chosen.length < MAX_ADDED) fields = [chat, ...fields];
	}
	return fields.join(',');
}

/** Returns the messages that share an ID although they differ in something that does not change, grouped by ID. */
function findSharedIds(messages: unknown[], field: IdField): unknown[][] {
	const groups = groupBy(messages, createIdReader(field));
	groups.delete(undefined);
	let left = MAX_COMPARED;
	return [...groups.values()].flatMap((group) => {
		const some = group.length > 1 ? group.slice(0, Math.max(0, left)) : [];
		left -= some.length;
		const differs = (path: string) => countDifferent([some], path) > 0;
		return listStableFields([some]).some(differs) ? [some] : [];
	});
}

/** Returns the fields of the messages that seem not to change. */
function listStableFields(groups: unknown[][]): string[] {
	const fields = groups.flat().flatMap(listPlainFields);
	// An address may be signed anew for each request.
	const lasting = fields.filter(([, value]) => !/^(https?:|data:|\/)/.test(String(value)));
	const paths = [...new Map(lasting).keys()].slice(0, MAX_FIELDS);
	const isOfSomebody = (path: string) => NAMES.chat.test(path) || NAMES.sender.test(path);
	const isChanging = (path: string) =>
		NAMES.passing.test(path) || (NAMES.description.test(path) && isOfSomebody(path));
	return paths.filter((path) => !isMutableName(path) && !isChanging(path) && !path.includes(','));
}

/**
 * Finds the field that best distinguishes messages with the same ID. One whose name does not tell why they differ counts only if another one
 * differs, too: otherwise it may be the same message, listed twice with something that changes.
 */
function findDifference(groups: unknown[][]): string | undefined {
	const differing = (group: unknown[]) =>
		listStableFields([group]).filter((path) => countDifferent([group], path) > 0);
	const different = groups.filter((group) => differing(group).length > 1);
	const countApart = (path: string) =>
		countDifferent(rank(path) < UNTOLD ? groups : different, path);
	return listStableFields(groups)
		.map((path) => ({ path, rank: rank(path), apart: countApart(path) }))
		.filter(({ apart }) => apart > 0)
		.sort((a, b) => a.rank - b.rank || b.apart - a.apart)[0]?.path;
}

/** Counts the messages that share an ID, each but one of those that differ. */
function countShared(messages: unknown[], field: IdField): number {
	const count = (group: unknown[]) =>
		Math.max(...listStableFields([group]).map((path) => countDifferent([group], path)));
	return findSharedIds(messages, field).reduce((sum, group) => sum + count(group), 0);
}

/** The most characters that are compared at either end of a text. */
const MAX_END = 500;

/** Counts the messages that differ from others of their group in a field. */
function countDifferent(groups: unknown[][], path: string): number {
	const read = (message: unknown) => {
		const value = toIdPart(getField(message, path));
		if (typeof value !== 'string') return value && JSON.stringify(value);
		const { length } = value;
		return length > 2 * MAX_END
			? `${length} ${value.slice(0, MAX_END)}${value.slice(-MAX_END)}`
			: value;
	};
	return groups.reduce((sum, group) => sum + new Set(group.map(read)).size - 1, 0);
}

/** What the names of fields tell. */
const NAMES = {
	/** The ID of the chat itself, e.g. `chat_id`, `chat.id` or `remoteJid`: never `chat_name` or `chat.last_message_id`, which change. */
	chatId:
		/^(\w+\.){0,3}((remote|message|source)?_?(chat|conversation|dialog|thread|room|channel|group|peer)[ ._-]{0,2}(id|jid|uuid|guid|key)|(remote_?)?jid)$/i,
	chatItself: /chat|conversation|dialog|jid/i,
	/** Of another message or of a person. */
	other: /quote|repl|context|forward|mention|sender|from|contact/i,
	chat: /chat|conversation|dialog|thread|room|channel|group|peer|jid/i,
	sender: /from|sender|author|user|contact|phone|number/i,
	id: /(^|[._])id$|[a-z]Id$|jid$/i,
	/** What somebody can change of a chat or a person. */
	description: /name|title|subject|topic|descri|avatar|picture|photo|icon|total|last|latest/i,
	/** What changes with the messages. */
	passing:
		/size|members|participants|unread|muted|archived|presence|online|typing|battery|fetch|retriev|server|request|cursor|index|position|elapsed|token|signature|(^|[._])(now|age|rank|score|sort|no)$/i,
	/** The chat or the sender itself, not something of it. */
	itself:
		/(chat|conversation|dialog|thread|room|channel|group|peer|from|sender|author|user|contact|phone|number)$/i,
	/** What somebody can edit. */
	text: /text|body|content|caption|message$/i,
};

/** From this rank on, the name of a field does not tell why it distinguishes messages. */
const UNTOLD = 6;

/** The lower it is, the better the field distinguishes messages: the chat, the sender, a time, or anything else; with an ID or without. */
function rank(path: string): number {
	if (NAMES.chatId.test(path)) return -1;
	const isItself = NAMES.id.test(path) || NAMES.itself.test(path);
	const [isOfChat, isOfSender] = [NAMES.chat, NAMES.sender].map((name) => name.test(path));
	const isText = NAMES.text.test(path);
	const kinds = [isOfChat && isItself, isOfSender && isItself, isTimeName(path), !isText, true];
	const isId = NAMES.id.test(path) || !path.includes('.');
	return 2 * kinds.indexOf(true) + (isId ? 0 : 1);
}
