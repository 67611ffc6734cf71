import {
	chooseIdField,
	findIdField,
} from '../../../../../nodes/MessagingAccount/events/newMessage/idField';
import { describeInputError } from '../../../../support/inputError';

describe('the ID field is', () => {
	test.each([
		['id before other names', [{ uuid: 'a', id: 1 }], 'id'],
		['the text inside an object', [{ id: { _serialized: 'a', fromMe: true } }], 'id._serialized'],
		[
			'the field with the most different IDs',
			[
				{ id: 'chat 1', message_id: 1 },
				{ id: 'chat 2', message_id: 2 },
				{ id: 'chat 1', message_id: 3 },
			],
			'message_id',
		],
		['the field that most messages have', [{ id: 1, uuid: 'a' }, { uuid: 'b' }], 'uuid'],
		['in a wrapper', [{ message: { id: 'a' }, external_id: 'x' }], 'message.id'],
		['at the top before a wrapper', [{ data: { id: 1 }, _id: 'a' }], '_id'],
		[
			'not a field that is the same in all messages',
			[
				{ id: 7, key: { id: 'a' } },
				{ id: 7, key: { id: 'b' } },
			],
			'key.id',
		],
		[
			'none if all messages have the same ID',
			[
				{ id: 7, text: 'a' },
				{ id: 7, text: 'b' },
			],
			'',
		],
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
	])('%s', (_which, messages, expected) => {
		expect(findIdField(messages)).toBe(expected);
	});
});

const choose = (messages: unknown[], field = '', evidence = 0) =>
	chooseIdField(messages, '', { field, evidence }).field;

describe('the ID field of an earlier poll', () => {
	const withId = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `m${i}` }));
	const withUuid = (count: number) => Array.from({ length: count }, (_, i) => ({ uuid: `u${i}` }));

	test('is kept while it identifies all messages, or as many as another one', () => {
		const messages = withUuid(3).map((one, i) => ({ ...one, id: `m${i}` }));
		expect(choose(messages, 'uuid', 1)).toBe('uuid');
		expect(choose([...messages, { text: 'a' }], 'uuid', 1)).toBe('uuid');
	});

	test.each([
		['no messages', []],
		['messages without any ID', [{ text: 'a' }]],
		['fewer messages with another one', [...withId(5), ...withUuid(4)]],
		['fewer messages than it was found on', withUuid(5)],
		['a message that is listed twice', [{ id: 'x' }, { id: 'x' }, ...withUuid(5)]],
	])('is kept for %s', (_which, messages) => {
		expect(choose(messages, 'id', 6)).toBe('id');
	});

	test.each([
		['more messages with another one', [...withId(1), ...withUuid(6)], 6],
		['ten messages', withUuid(10), 10],
	])('is given up for %s', (_which, messages, evidence) => {
		expect(choose(messages, 'id', evidence)).toBe('uuid');
	});

	test('is none if neither that poll nor this one has found any', () => {
		expect(chooseIdField([{ text: 'a' }], '').field).toBe('');
	});

	test('counts the messages that it was found on, up to ten', () => {
		expect(chooseIdField(withId(3), '').evidence).toBe(3);
		expect(chooseIdField(withId(3), '', { field: 'id', evidence: 5 }).evidence).toBe(5);
		expect(chooseIdField(withId(30), '').evidence).toBe(10);
		expect(chooseIdField(withUuid(10), '', { field: 'id', evidence: 7 })).toMatchObject({
			field: 'uuid',
			evidence: 10,
		});
	});
});

describe('messages that share an ID are told apart', () => {
	test.each([
		[
			'by an ID of their own',
			[
				{ id: 'c', uuid: 'a' },
				{ id: 'c', uuid: 'b' },
			],
			'uuid',
		],
		[
			'by their chat',
			[
				{ id: 'x', text: 'a', chat: { title: 'C', id: 'c' } },
				{ id: 'x', text: 'b', chat: { title: 'D', id: 'd' } },
			],
			'chat.id,id',
		],
		[
			'by their sender',
			[
				{ id: 'x', text: 'a', from: 'c', date: 1 },
				{ id: 'x', text: 'b', from: 'd', date: 2 },
			],
			'from,id',
		],
		[
			'by their time',
			[
				{ id: 'x', text: 'a', date: 1 },
				{ id: 'x', text: 'b', date: 2 },
			],
			'date,id',
		],
		[
			'by several fields',
			[
				{ id: 'x', chat: 'c', date: 1 },
				{ id: 'x', chat: 'd', date: 1 },
				{ id: 'x', chat: 'd', date: 2 },
			],
			'date,chat,id',
		],
		[
			'by the field that tells most of them apart',
			[
				{ id: 'x', author: 'c', phone: 1, from: 'a' },
				{ id: 'x', author: 'c', phone: 2, from: 'a' },
				{ id: 'x', author: 'd', phone: 3, from: 'b' },
			],
			'phone,id',
		],
		[
			'by anything that does not look as if it changes',
			[
				{ id: 'x', isMine: true },
				{ id: 'x', isMine: false },
			],
			'isMine,id',
		],
	])('%s', (_how, messages, expected) => {
		expect(choose(messages, 'id', 10)).toBe(expected);
	});

	test.each([
		[
			'a status',
			[
				{ id: 'x', status: 'sent' },
				{ id: 'x', status: 'read' },
			],
		],
		[
			'a time of change',
			[
				{ id: 'x', updated_at: 1 },
				{ id: 'x', updated_at: 2 },
			],
		],
		['nothing', [{ id: 'x' }, { id: 'x' }]],
	])('but not by %s: they are the same message', (_what, messages) => {
		expect(choose(messages, 'id', 10)).toBe('id');
	});
});

describe('the chat becomes part of an ID', () => {
	const inChat = (id: unknown) => [{ id, chat_id: 5, text: 'a' }];

	test.each([7, '7', 4294967295])('that may count per chat: %j', (id) => {
		expect(choose(inChat(id))).toBe('chat_id,id');
		expect(choose(inChat(id), 'id', 10)).toBe('chat_id,id');
	});

	test.each(['a7', 12345678901])('but not if it is unique: %j', (id) => {
		expect(choose(inChat(id))).toBe('id');
	});

	test('even if a message has no ID', () => {
		expect(choose([{ text: 'a' }, ...inChat(1)])).toBe('chat_id,id');
	});

	test('but not if some messages have none, or a unique ID', () => {
		expect(choose([...inChat(1), { id: 2 }])).toBe('id');
		expect(choose([...inChat(1), ...inChat('a7')])).toBe('id');
	});

	test('once', () => {
		expect(choose(inChat(1), 'chat_id,id', 1)).toBe('chat_id,id');
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
