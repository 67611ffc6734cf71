import { chooseIdField } from '../../../../../nodes/MessagingAccount/events/newMessage/idField';
import { describeInputError } from '../../../../support/inputError';

/** A list of messages. */
const all = (...messages: unknown[]) => messages;

/** Messages by their fields: a letter or a digit for each message. */
const columns = (fields: Record<string, string>) =>
	Object.entries(fields).reduce<object[]>((messages, [name, values]) => {
		const read = (value: string) => (/\d/.test(value) ? Number(value) : value);
		return Array.from(values, (value, i) => ({ ...messages[i], [name]: read(value) }));
	}, []);

/** A message with a value in a field, which may be inside another. */
const inField = (path: string, value: unknown = 'a') => {
	const [outer, inner] = path.split('.');
	return { [outer]: inner ? { [inner]: value } : value };
};

const choose = (messages: unknown[], field = '', evidence = 0) =>
	chooseIdField(messages, '', { field, evidence }).field;

test.each([
	['id before other names', [{ uuid: 'a', id: 'b' }], 'id'],
	['the most usual of several', [{ id: 17, sid: 'sess-a' }], 'id'],
	['the text inside an object', [{ id: { _serialized: 'a', fromMe: true } }], 'id._serialized'],
	['the field with the most IDs', columns({ id: 'cdc', message_id: '123' }), 'message_id'],
	['the field that most messages have', [{ id: 1, uuid: 'a' }, { uuid: 'b' }], 'uuid'],
	['in a wrapper', [{ message: { id: 'a' }, external_id: 'x' }], 'message.id'],
	['at the top before a wrapper', [{ data: { id: 1 }, _id: 'a' }], '_id'],
	['not the same in all messages', [7, 8].map((n) => ({ id: 7, key: { id: n } })), 'key.id'],
	['none if all messages have the same ID', columns({ id: '77', text: 'ab' }), ''],
	['found even if a message is listed twice', [{ id: 1 }, { id: 1 }], 'id'],
	['not in the chat', [{ chat: { id: 1 } }, { chat: { id: 2 } }], ''],
	['in two wrappers', [{ message: { key: { id: 'a' } } }], 'message.key.id'],
	['not in three', [{ data: { message: { key: { id: 'a' } } } }], ''],
	['in capitals', [{ ID: 'a' }], 'ID'],
	['with a capital', [{ Id: 'a', From: 'b' }], 'Id'],
	['in a wrapper with capitals', [{ Info: { ID: 'a', Chat: 'b' } }], 'Info.ID'],
	...['msgid', 'keyId', 'wamid', 'MessageID', 'message-id', 'msgKey', 'sid', 'wa_message_id'].map(
		(name): [string, unknown[], string] => [`in ${name}`, [{ [name]: 'a' }], name],
	),
	['the text of a MongoDB ID', [{ _id: { $oid: 'a' } }], '_id.$oid'],
	['not in the list of what a message has', [{ items: [{ id: 'a' }] }], ''],
	['not in a media', [{ media: { id: 'a' } }], ''],
	['not an object', [{ id: { a: 1 } }], ''],
	['none for plain values', ['a', 5, null], ''],
])('the ID field is %s', (_which, messages, expected) => expect(choose(messages)).toBe(expected));

describe('the ID field of an earlier poll', () => {
	const withId = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `m${i}` }));
	const withUuid = (count: number) => Array.from({ length: count }, (_, i) => ({ uuid: `u${i}` }));

	test('is kept while it identifies all messages, or as many as another one', () => {
		const messages = withUuid(3).map((one, i) => ({ ...one, id: `m${i}` }));
		expect(choose(messages, 'uuid', 1)).toBe('uuid');
		expect(choose([...messages, { text: 'a' }], 'uuid', 1)).toBe('uuid');
	});

	test.each([
		['kept for no messages', [], 6, 'id'],
		['kept for messages without any ID', [{ text: 'a' }], 6, 'id'],
		['kept for fewer messages with another one', [...withId(5), ...withUuid(4)], 6, 'id'],
		['kept for fewer messages than it was found on', withUuid(5), 6, 'id'],
		['kept for a message listed twice', all({ id: 'x' }, { id: 'x' }, ...withUuid(5)), 6, 'id'],
		['given up for more messages with another one', [...withId(1), ...withUuid(6)], 6, 'uuid'],
		['given up for ten messages', withUuid(10), 10, 'uuid'],
	])('is %s', (_which, messages, evidence, expected) => {
		expect(choose(messages, 'id', evidence)).toBe(expected);
	});

	test('counts the messages that it was found on, up to ten', () => {
		expect(chooseIdField([{ text: 'a' }], '')).toMatchObject({ field: '', evidence: 0 });
		expect(chooseIdField(withId(3), '').evidence).toBe(3);
		expect(chooseIdField(withId(3), '', { field: 'id', evidence: 5 }).evidence).toBe(5);
		expect(chooseIdField(withId(30), '').evidence).toBe(10);
		const after = chooseIdField(withUuid(10), '', { field: 'id', evidence: 7 });
		expect(after).toMatchObject({ field: 'uuid', evidence: 10 });
	});
});

describe('messages that share an ID are told apart', () => {
	const inChats = [1, 2].map((id) => ({ id: 'x', text: id, chat: { title: 'C', id } }));

	test.each([
		['by an ID of their own', columns({ id: 'cc', uuid: 'ab' }), 'uuid'],
		['by the ID of their chat', inChats, 'chat.id,id'],
		['by their sender', columns({ id: 'xx', text: 'ab', from: 'cd', date: '12' }), 'from,id'],
		['by their time', columns({ id: 'xx', text: 'ab', date: '12' }), 'date,id'],
		['by several fields', columns({ id: 'xxx', chat: 'cdd', date: '112' }), 'date,chat,id'],
		['by what differs most', columns({ id: 'xxx', from: 'aab', phone: '123' }), 'phone,id'],
		['by any field', columns({ id: 'xx', text: 'ab', kind: 'cd' }), 'kind,id'],
		['but not by an address', [1, 2].map((n) => ({ id: 'x', media: `https://a.b/${n}` })), 'id'],
		['but not by a status', all({ id: 'x', status: 'sent' }, { id: 'x', status: 'read' }), 'id'],
		['but not by nothing', [{ id: 'x' }, { id: 'x' }], 'id'],
	])('%s', (_how, messages, expected) => expect(choose(messages, 'id', 10)).toBe(expected));

	test.each(
		`text kind sender_battery sender.battery index age fetched_at server_time requestId
		updated_at`.split(/\s+/),
	)('but not by %s alone', (path) => {
		const messages = [0, 1].map((value) => ({ id: 'x', ...inField(path, value) }));
		expect(choose(messages, 'id', 10)).toBe('id');
	});
});

describe('the chat becomes part of an ID', () => {
	const inChat = (id: unknown) => [{ id, chat_id: 5, text: 'a' }];
	const wrapped = { update_id: 1, message: { message_id: 1, chat: { id: 5 } } };

	test.each([
		['that may count per chat', inChat(7), 'chat_id,id'],
		['that may count per chat, as text', inChat('7'), 'chat_id,id'],
		['that may count per chat, and is long', inChat(4294967295), 'chat_id,id'],
		['even if a message has no ID', [{ text: 'a' }, ...inChat(1)], 'chat_id,id'],
		['but not if it is unique', inChat('a7b'), 'id'],
		['but not if it is too long to count', inChat(12345678901), 'id'],
		...['msg-1', '#1', -1, '1.0', '000000000001'].map((id): [string, unknown[], string] => [
			`that may count per chat, as ${id}`,
			inChat(id),
			'chat_id,id',
		]),
		['although some messages have no chat', [{ id: 2, chat_id: null }, ...inChat(1)], 'chat_id,id'],
		['although some have a unique ID', [...inChat('welcome'), ...inChat(1)], 'chat_id,id'],
		['before where it is', [{ room: { id: 1 }, group_id: 0, ...inChat(1)[0] }], 'chat_id,id'],
		['or what it is called', [...inChat(1), { id: 2, group_id: 5 }], 'group_id,chat_id,id'],
		['in the wrapper of the ID', [wrapped], 'message.chat.id,message.message_id'],
	])('%s', (_which, messages, expected) => {
		expect(choose(messages)).toBe(expected);
		expect(choose(messages, expected.split(',').at(-1), 10)).toBe(expected);
	});

	test.each(
		`chat_status chat_name chat_unread_count group_size chat.title chat.last_message_id channel_muted
		room_topic thread_seen group_paid peerOnline chatName conversation last_thread_id group_members
		chatroom reaction.chat_id read_state.channel_id`.split(/\s+/),
	)('but not %s, which is only named like one', (path) => {
		expect(choose([{ id: 1, ...inField(path) }])).toBe('id');
	});

	test.each(
		`chat_id chat.id chatId remoteJid key.remoteJid message_thread_id chatid group_uuid
		conversation-id channel.id chat._id`.split(/\s+/),
	)('from %s', (path) => expect(choose([{ id: 1, ...inField(path) }])).toBe(`${path},id`));

	test('once', () => {
		expect(choose(inChat(1), 'chat_id,id', 1)).toBe('chat_id,id');
		const both = 'group_id,chat_id,id';
		expect(choose([...inChat(1), { id: 1, group_id: 5 }], both, 1)).toBe(both);
	});
});

describe('the field that the user sets', () => {
	const messages = [{ id: 1 }, { ref: 'a' }];

	test('must exist in a message, if there is any', () => {
		expect(chooseIdField(messages, 'ref').field).toBe('ref');
		expect(chooseIdField([], 'ref').field).toBe('ref');
		expect(describeInputError(() => chooseIdField(messages, 'uuid'))).toMatch(
			/^No message has an ID in 'uuid', the 'Message ID Field': Remove the option/,
		);
	});

	test('is needed if messages that share an ID may be the same', () => {
		const listed = columns({ id: 'xx', text: 'ab' });
		expect(chooseIdField(listed, '')).toMatchObject({ field: '', shared: 0 });
		expect(chooseIdField([{ id: 'y' }, ...listed], '')).toMatchObject({ field: 'id', shared: 1 });
	});

	test('stays as it is, and what counts as another message is counted', () => {
		const listed = [
			{ chat: 'a', text: 'x' },
			{ chat: 'a', text: 'y' },
			{ chat: 'a', text: 'y' },
			{ chat: 'b', text: 'z' },
			{ chat: 'b', text: 'z', status: 'read' },
		];
		expect(chooseIdField(listed, 'chat')).toMatchObject({ field: 'chat', shared: 1 });
		expect(chooseIdField(listed, 'chat,text')).toMatchObject({ field: 'chat,text', shared: 0 });
	});
});
