import { createIdReader, toIdPart, type IdField } from '../../messages/messageKey';
import { MAX_COMPARED } from '../../messages/messageOrder';
import { getField, listPlainFields, MAX_FIELDS } from '../../shared/fields';
import { isMutableName } from '../../shared/names';

/** An ID that is counted up, perhaps from 1 in each chat. Longer ones are unique. */
const COUNTED_ID = /^\D{0,10}0*\d{1,10}(\.0)?$/;

/** The name of the ID of the chat itself, e.g. `chat_id`, `chat.id` or `remoteJid`: never `chat_name` or `chat.last_message_id`, which change. */
export const CHAT_ID =
	/^(\w+\.){0,3}((remote|message|source)?_?(chat|conversation|dialog|thread|room|channel|group|peer)[ ._-]{0,2}(id|jid|uuid|guid|key)|(remote_?)?jid)$/i;

/** A chat rather than the channel, group or room that it may be in. */
const CHAT_ITSELF = /chat|conversation|dialog|jid/i;

/** Of another message or of a person. */
const OTHER = /quote|repl|context|forward|mention|sender|from|contact/i;

const MAX_CHAT_FIELDS = 3;

/**
 * Adds fields of the chat until each message with an ID that may be counted per chat has one: two equal IDs need not be listed at the same
 * time. The chat itself comes before the channel, group or room that it may be in.
 * @example addChat([{ id: 7, chat_id: 1 }], 'id') // 'chat_id,id'
 */
export function addChat(messages: unknown[], field: IdField): IdField {
	const fields = field.split(',');
	const own = fields.at(-1)!;
	const readId = createIdReader(own);
	const isCounted = (message: unknown) => COUNTED_ID.test(readId(message) ?? '');
	const counted = messages.filter(isCounted).slice(0, MAX_COMPARED);
	const chosen = fields.filter((path) => CHAT_ID.test(path));
	for (const chat of listChatFields(counted, own.split('.').slice(0, -1))) {
		const isWithout = (one: unknown) => !chosen.some((path) => has(one, path));
		const isNeeded = counted.some((one) => isWithout(one) && has(one, chat));
		if (isNeeded && chosen.length < MAX_CHAT_FIELDS) chosen.unshift(chat);
	}
	return [...chosen.filter((path) => !fields.includes(path)), ...fields].join(',');
}

/** Lists the fields with the ID of a chat, the best first. @param wrapper the path of the object that has the ID of the message */
function listChatFields(messages: unknown[], wrapper: string[]): string[] {
	const paths = messages.flatMap((message) => [
		...listPlainFields(message).map(([path]) => path),
		...listPlainFields(getField(message, wrapper)).map(([path]) => [...wrapper, path].join('.')),
	]);
	const isChat = (path: string) => CHAT_ID.test(path) && !OTHER.test(path) && !isMutableName(path);
	const counted = [...new Set(paths)].filter(isChat).map((path) => ({
		path,
		isChatItself: Number(CHAT_ITSELF.test(path)),
		count: messages.filter((one) => has(one, path)).length,
	}));
	counted.sort((a, b) => b.isChatItself - a.isChatItself || b.count - a.count);
	return counted.slice(0, MAX_FIELDS).map(({ path }) => path);
}

const has = (message: unknown, path: string) => toIdPart(getField(message, path)) !== null;
