import { createIdReader, toIdPart, type IdField } from '../../messages/messageKey';
import { MAX_COMPARED } from '../../messages/messageOrder';
import { getField, listPlainFields, MAX_FIELDS } from '../../shared/fields';
import { groupBy } from '../../shared/groupBy';
import { isMutableName, isTimeName } from '../../shared/names';
import { addChat, CHAT_ID } from './chatFields';

/** The most fields to add: more would not distinguish messages. */
const MAX_ADDED = 3;

/** Adds the fields without which messages share an ID, or may do so later. The field of their own IDs stays the last. */
export function makeUnique(messages: unknown[], field: IdField): IdField {
	let fields = addChat(messages, field);
	for (let count = 0; count < MAX_ADDED; count++) {
		const added = chooseField(findSharedIds(messages, fields));
		if (added === undefined) break;
		fields = `${added},${fields}`;
	}
	return fields;
}

/** Of messages with the same ID, the fields in which they differ, each with the number of further values. */
type Differences = Map<string, number>;

/** Returns, for each ID that messages share, the lasting fields in which they differ; nothing for one without such fields. */
export function findSharedIds(messages: unknown[], field: IdField): Differences[] {
	const groups = groupBy(messages, createIdReader(field));
	groups.delete(undefined);
	let left = MAX_COMPARED;
	return [...groups.values()].flatMap((group) => {
		const some = group.length > 1 ? group.slice(0, Math.max(0, left)) : [];
		left -= some.length;
		const counts = listLastingFields(some).map((path) => [path, countFurther(some, path)] as const);
		const differences = new Map(counts.filter(([, count]) => count > 0));
		return differences.size > 0 ? [differences] : [];
	});
}

/** Counts the messages that share an ID, each but one of those that differ. */
export const countShared = (messages: unknown[], field: IdField): number =>
	findSharedIds(messages, field).reduce((sum, one) => sum + Math.max(...one.values()), 0);

/**
 * Chooses the field that best distinguishes messages with the same ID. One whose name does not tell why they differ counts only if another
 * one differs, too: otherwise it may be the same message, listed twice with something that changes.
 */
function chooseField(shared: Differences[]): string | undefined {
	const counts: Differences = new Map();
	for (const differences of shared)
		for (const [path, count] of differences)
			if (differences.size > 1 || DISTINGUISHING[rankOf(path)].explains)
				counts.set(path, (counts.get(path) ?? 0) + count);
	const isOwnOrId = (path: string) =>
		Number(NAMES.id.test(path) || CHAT_ID.test(path) || !path.includes('.'));
	return [...counts]
		.map(([path, count]) => ({ path, count, rank: rankOf(path), isOwnOrId: isOwnOrId(path) }))
		.sort((a, b) => a.rank - b.rank || b.isOwnOrId - a.isOwnOrId || b.count - a.count)
		.at(0)?.path;
}

const CHAT = 'chat|conversation|dialog|thread|room|channel|group|peer';
const SENDER = 'from|sender|author|user|contact|phone|number';

/** What the names of fields tell. */
const NAMES = {
	chat: new RegExp(`${CHAT}|jid`, 'i'),
	sender: new RegExp(SENDER, 'i'),
	/** The chat or the sender itself, not something of it. */
	itself: new RegExp(`(${CHAT}|${SENDER})$`, 'i'),
	id: /(^|[._])id$|[a-z]Id$|jid$/i,
	/** What somebody can change of a chat or a person. */
	description: /name|title|subject|topic|descri|avatar|picture|photo|icon|total|last|latest/i,
	/** What changes with the messages. */
	changing:
		/size|members|participants|unread|muted|archived|presence|online|typing|battery|fetch|retriev|server|request|cursor|index|position|elapsed|token|signature|(^|[._])(now|age|rank|score|sort|no)$/i,
	/** What somebody can edit. */
	text: /text|body|content|caption|message$/i,
};

const isItself = (path: string) => NAMES.id.test(path) || NAMES.itself.test(path);

/** The fields that distinguish messages, the best first: those whose name `explains` why the messages differ, and any others. */
const DISTINGUISHING: Array<{ is(path: string): boolean; explains: boolean }> = [
	{ is: (path) => CHAT_ID.test(path), explains: true }, // chat_id
	{ is: (path) => NAMES.chat.test(path) && isItself(path), explains: true }, // room
	{ is: (path) => NAMES.sender.test(path) && isItself(path), explains: true }, // senderId
	{ is: isTimeName, explains: true }, // sent_at
	{ is: (path) => !NAMES.text.test(path), explains: false }, // kind
	{ is: () => true, explains: false }, // text
];

const rankOf = (path: string) => DISTINGUISHING.findIndex(({ is }) => is(path));

/** Returns the fields of the messages that seem not to change. */
function listLastingFields(messages: unknown[]): string[] {
	const fields = messages.flatMap(listPlainFields);
	// An address may be signed anew for each request.
	const lasting = fields.filter(([, value]) => !/^(https?:|data:|\/)/.test(String(value)));
	const paths = [...new Map(lasting).keys()].slice(0, MAX_FIELDS);
	const isOfSomebody = (path: string) => NAMES.chat.test(path) || NAMES.sender.test(path);
	const isChanging = (path: string) =>
		NAMES.changing.test(path) || (NAMES.description.test(path) && isOfSomebody(path));
	return paths.filter((path) => !isMutableName(path) && !isChanging(path) && !path.includes(','));
}

/** The most characters that are compared at either end of a text. */
const MAX_END = 500;

/** Counts the further values of a field among messages with the same ID: 0 if all have the same one. */
function countFurther(group: unknown[], path: string): number {
	const read = (message: unknown) => {
		const value = toIdPart(getField(message, path));
		if (typeof value !== 'string') return value && JSON.stringify(value);
		return `${value.length} ${value.slice(0, MAX_END)}${value.slice(-MAX_END)}`;
	};
	return new Set(group.map(read)).size - 1;
}
