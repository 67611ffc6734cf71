import { createIdReader, toIdPart, type IdField } from '../../messages/messageKey';
import { MAX_COMPARED } from '../../messages/messageOrder';
import { getField, listPlainFields, MAX_FIELDS } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';
import { isMutableName, isTimeName } from '../../shared/names';

/** The most fields to add: more would not distinguish messages. */
const MAX_ADDED = 3;

/** Adds the fields without which messages share an ID, or may do so later. The field of their own IDs stays the last. */
export function makeUnique(messages: unknown[], field: IdField): IdField {
	let fields = addChat(messages, field);
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
 * @example addChat([{ id: 7, chat_id: 1 }], 'id') // 'chat_id,id'
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
		.filter((path) => NAMES.chatId.test(path) && !NAMES.other.test(path) && !isMutableName(path))
		.map((path) => ({
			path,
			isChatItself: Number(NAMES.chatItself.test(path)),
			count: counted.filter((one) => has(one, path)).length,
		}))
		.sort((a, b) => b.isChatItself - a.isChatItself || b.count - a.count);
	let fields = field.split(',');
	for (const { path: chat } of chats.slice(0, MAX_FIELDS)) {
		const chosen = fields.filter((path) => NAMES.chatId.test(path));
		const isWithout = (one: unknown) => !chosen.some((path) => has(one, path));
		const isNeeded = counted.some((one) => isWithout(one) && has(one, chat));
		if (isNeeded && chosen.length < MAX_ADDED) fields = [chat, ...fields];
	}
	return fields.join(',');
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
	changing:
		/size|members|participants|unread|muted|archived|presence|online|typing|battery|fetch|retriev|server|request|cursor|index|position|elapsed|token|signature|(^|[._])(now|age|rank|score|sort|no)$/i,
	/** The chat or the sender itself, not something of it. */
	itself:
		/(chat|conversation|dialog|thread|room|channel|group|peer|from|sender|author|user|contact|phone|number)$/i,
	/** What somebody can edit. */
	text: /text|body|content|caption|message$/i,
};

const isIdOrTopLevel = (path: string) =>
	NAMES.id.test(path) || NAMES.chatId.test(path) || !path.includes('.');
const isItself = (path: string) => NAMES.id.test(path) || NAMES.itself.test(path);

/** The fields that distinguish messages, the best first: those whose name `tells` why the messages differ, and any others. */
const DISTINGUISHING: Array<{ is(path: string): boolean; tells: boolean }> = [
	{ is: (path) => NAMES.chatId.test(path), tells: true },
	{ is: (path) => NAMES.chat.test(path) && isItself(path), tells: true },
	{ is: (path) => NAMES.sender.test(path) && isItself(path), tells: true },
	{ is: isTimeName, tells: true },
	{ is: (path) => !NAMES.text.test(path), tells: false },
	{ is: () => true, tells: false },
];

/** Returns the messages that share an ID although they differ in something that does not change, grouped by ID. */
export function findSharedIds(messages: unknown[], field: IdField): unknown[][] {
	const groups = groupBy(messages, createIdReader(field));
	groups.delete(undefined);
	let left = MAX_COMPARED;
	return [...groups.values()].flatMap((group) => {
		const some = group.length > 1 ? group.slice(0, Math.max(0, left)) : [];
		left -= some.length;
		const differs = (path: string) => countDifferent(some, path) > 0;
		return listStableFields(some).some(differs) ? [some] : [];
	});
}

/** Returns the fields of the messages that seem not to change. */
function listStableFields(messages: unknown[]): string[] {
	const fields = messages.flatMap(listPlainFields);
	// An address may be signed anew for each request.
	const lasting = fields.filter(([, value]) => !/^(https?:|data:|\/)/.test(String(value)));
	const paths = [...new Map(lasting).keys()].slice(0, MAX_FIELDS);
	const isOfSomebody = (path: string) => NAMES.chat.test(path) || NAMES.sender.test(path);
	const isChanging = (path: string) =>
		NAMES.changing.test(path) || (NAMES.description.test(path) && isOfSomebody(path));
	return paths.filter((path) => !isMutableName(path) && !isChanging(path) && !path.includes(','));
}

/**
 * Finds the field that best distinguishes messages with the same ID. One whose name does not tell why they differ counts only if another one
 * differs, too: otherwise it may be the same message, listed twice with something that changes.
 */
function findDifference(groups: unknown[][]): string | undefined {
	const fieldsThatDiffer = (group: unknown[]) =>
		listStableFields(group).filter((path) => countDifferent(group, path) > 0);
	const withTwoFields = groups.filter((group) => fieldsThatDiffer(group).length > 1);
	return listStableFields(groups.flat())
		.map((path) => {
			const row = DISTINGUISHING.findIndex(({ is }) => is(path));
			const counted = DISTINGUISHING[row].tells ? groups : withTwoFields;
			const apart = counted.reduce((sum, group) => sum + countDifferent(group, path), 0);
			return { path, row, isId: Number(isIdOrTopLevel(path)), apart };
		})
		.filter(({ apart }) => apart > 0)
		.sort((a, b) => a.row - b.row || b.isId - a.isId || b.apart - a.apart)[0]?.path;
}

/** Counts the messages that share an ID, each but one of those that differ. */
export function countShared(messages: unknown[], field: IdField): number {
	const count = (group: unknown[]) =>
		Math.max(...listStableFields(group).map((path) => countDifferent(group, path)));
	return findSharedIds(messages, field).reduce((sum, group) => sum + count(group), 0);
}

/** The most characters that are compared at either end of a text. */
const MAX_END = 500;

/** Counts the further values of a field among messages with the same ID: 0 if all have the same one. */
function countDifferent(group: unknown[], path: string): number {
	const read = (message: unknown) => {
		const value = toIdPart(getField(message, path));
		if (typeof value !== 'string') return value && JSON.stringify(value);
		const { length } = value;
		return length > 2 * MAX_END
			? `${length} ${value.slice(0, MAX_END)}${value.slice(-MAX_END)}`
			: value;
	};
	return new Set(group.map(read)).size - 1;
}
