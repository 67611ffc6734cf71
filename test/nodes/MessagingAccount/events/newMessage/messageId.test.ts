import {
	chooseIdField,
	findIdField,
	getId,
	getKey,
} from '../../../../../nodes/MessagingAccount/events/newMessage/messageId';
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
		['not two levels down', [{ message: { key: { id: 'a' } } }], ''],
		['not an object', [{ id: { a: 1 } }], ''],
		['none for plain values', ['a', 5, null], ''],
	])('%s', (_which, messages, expected) => {
		expect(findIdField(messages)).toBe(expected);
	});
});

test('the previous ID field is kept unless no message has an ID there', () => {
	const messages = [{ id: 1, uuid: 'a' }, { id: 2, uuid: 'b' }, { id: 3, uuid: 'b' }, { id: 4 }];
	expect(chooseIdField(messages, '', 'uuid')).toBe('uuid');
	expect(chooseIdField(messages, '', '_id')).toBe('id');
	expect(chooseIdField([], '', '_id')).toBe('_id');
	expect(chooseIdField([{ text: 'a' }], '', '_id')).toBe('_id');
});

test('the field that the user sets must exist in a message, if there is any', () => {
	const messages = [{ id: 1 }, { ref: 'a' }];
	expect(chooseIdField(messages, 'ref', 'id')).toBe('ref');
	expect(chooseIdField([], 'ref', 'id')).toBe('ref');
	expect(describeInputError(() => chooseIdField(messages, 'uuid', 'id'))).toMatch(
		/^No message has an ID in 'uuid', the 'Message ID Field': Remove the option/,
	);
});

test('with no ID field, a field with an empty name is not used', () => {
	expect(getId({ '': 'a' }, '')).toBeUndefined();
});

describe('an ID is', () => {
	test.each([
		[{ id: 'a' }, 'a'],
		[{ id: 0 }, '0'],
		[{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
		[{ id: Number.MAX_SAFE_INTEGER + 1 }, undefined],
		[{ id: ' ' }, undefined],
		[{ id: null }, undefined],
		[{ id: true }, undefined],
		[{}, undefined],
		[null, undefined],
		['text', undefined],
	])('of %j: %j', (message, expected) => {
		expect(getId(message, 'id')).toBe(expected);
	});
});

test('keys are short, and differ for an ID and for content that looks like it', () => {
	expect(getKey({ id: 'a' }, 'id')).toMatch(/^[\w+/]{10}$/);
	expect(getKey({ id: 'a' }, 'id')).toBe(getKey({ id: 'a', read: true }, 'id'));
	expect(getKey({ id: 'a' }, '')).not.toBe(getKey({ id: 'a' }, 'id'));
	expect(getKey({ id: 'a' }, '')).not.toBe(getKey({ id: 'a', read: true }, ''));
	expect(getKey('{"id":"a"}', 'id')).not.toBe(getKey({ id: 'a' }, ''));
});
