import { listOwnFields } from './fields';
import { toPlainName } from './names';

/** Names of the field with the ID of a message, the most common first. Others, e.g. `uid`, often hold the ID of a person or session. */
export const ID_NAMES = `
	id messageid msgid idmessage idmsg messagesid messageuuid uuid guid mid sid keyid messagekey msgkey wamid wamessageid smsid
	clientmsgid objectid stanzaid`.match(/\S+/g)!;

/** The name of the text in an object that is an ID, as in `id._serialized` and `_id.$oid`. */
const INNER_NAME = /^(serialized|oid)$/;

/** Names of fields in which services wrap a message. Other objects may hold the ID of a chat or sender, which many messages share. */
const WRAPPER =
	/^(messages?|msg|data|key|records?|payload|item|object|info|id|event|evt|body|response|results?|content|sent|node|value|doc|attributes|messagedata)$/;

/** One wrapper inside another. */
const MAX_WRAPPERS = 2;

/** The most names to read in a message: wrappers in wrappers may have very many. */
const MAX_NAMES_OF_WRAPPERS = 300;

/** Returns the dot paths at which a message, or a wrapper of it, may have its ID. */
export const listIdFields = (message: unknown) =>
	Array.from(walkIds(message, [], { left: MAX_NAMES_OF_WRAPPERS }), (path) => path.join('.'));

function* walkIds(value: unknown, path: string[], names: { left: number }): Generator<string[]> {
	if (Array.isArray(value)) {
		const list = `${path.at(-1) ?? ''}[0]`;
		return yield* walkIds(value[0], [...path.slice(0, -1), list], names);
	}
	const wrapper = toPlainName(path.at(-1) ?? '');
	for (const [name, field] of listOwnFields(value)) {
		if (names.left-- <= 0) return;
		const plain = toPlainName(name);
		if (typeof field === 'number' || (typeof field === 'string' && field.trim() !== '')) {
			const isId = ID_NAMES.includes(plain) || (wrapper === 'id' && INNER_NAME.test(plain));
			if (isId) yield [...path, name];
		} else if (typeof field === 'object' && WRAPPER.test(plain) && path.length < MAX_WRAPPERS) {
			yield* walkIds(field, [...path, name], names);
		}
	}
}
