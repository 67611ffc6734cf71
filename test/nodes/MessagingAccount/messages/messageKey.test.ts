import {
	createIdReader,
	keyMessages,
	type KeyedMessage,
} from '../../../../nodes/MessagingAccount/messages/messageKey';
import { countEventLoopTurns } from '../../../support/eventLoopTurns';

const keyOf = async (one: unknown, field: string) => (await keyMessages([one], field))[0].key;

test('with no ID field, a field with an empty name is not used', () =>
	expect(createIdReader('')({ '': 'a' })).toBeUndefined());

test.each([
	[{ id: 'a' }, 'a'],
	[{ id: 0 }, '0'],
	[{ id: Number.MAX_SAFE_INTEGER }, '9007199254740991'],
	[{ id: ' ' }, undefined],
	[{ id: 'a'.repeat(1001) }, undefined],
	[{ id: null }, undefined],
	[{ id: true }, undefined],
	[null, undefined],
	['text', undefined],
])('the ID of %j is %j', (message, expected) => {
	expect(createIdReader('id')(message)).toBe(expected);
});

test('the ID may be in a field whose name has dots', () =>
	expect(createIdReader('message.id')({ 'message.id': 'a' })).toBe('a'));

describe('an ID of several fields', () => {
	const readId = createIdReader('chat.id,isMine,id');

	test('has all of them', () => {
		const id = readId({ chat: { id: 5 }, isMine: true, id: 1 });
		expect(readId({ chat: { id: '5' }, isMine: true, id: '1' })).toBe(id);
		expect(readId({ chat: { id: 6 }, isMine: true, id: 1 })).not.toBe(id);
		expect(readId({ chat: { id: 5 }, isMine: false, id: 1 })).not.toBe(id);
		expect(readId({ chat: { id: 5 }, isMine: true, id: 2 })).not.toBe(id);
	});

	test('needs the last one only', () => {
		expect(readId({ id: 1 })).toBe(readId({ id: 1, chat: { id: null } }));
		expect(readId({ id: 1 })).not.toBe(readId({ id: 1, chat: { id: 5 } }));
		expect(readId({ chat: { id: 5 }, isMine: true })).toBeUndefined();
	});

	test('may be objects, except the last one', () => {
		const readBoth = createIdReader('chat,id');
		expect(readBoth({ chat: { id: 5 }, id: 1 })).toBe(readBoth({ chat: { id: 5 }, id: 1 }));
		expect(readBoth({ chat: { id: 5 }, id: 1 })).not.toBe(readBoth({ chat: { id: 6 }, id: 1 }));
	});
});

test('what changes later makes no other key of a message without an ID', async () => {
	const key = async (message: unknown) => await keyOf(message, '');
	const message = { text: 'Hello', from: { name: 'Ann', status: 'busy' } };
	const from = { name: 'Ann', status: 'free' };
	const changed = { ...message, from, ack: 3, updatedAt: 5, reactions: ['x'] };
	expect(await key(changed)).toBe(await key(message));
	expect(await key({ ...message, text: 'Hello!' })).not.toBe(await key(message));
	expect(await key({ status: 'a', state: 'b' })).not.toBe(await key({ status: 'b', state: 'b' }));
});

test('only a short message whose key is unknown may have had no ID', async () => {
	const countEarlier = async (text: string, isKnown: boolean) =>
		(await keyMessages([{ id: 1, text }], 'id', 'id', () => isKnown))[0].earlierKeys?.length;
	expect(await countEarlier('a', false)).toBe(1);
	expect(await countEarlier('a', true)).toBe(0);
	expect(await countEarlier('a'.repeat(300_000), false)).toBe(0);
});

test('keys are short, and differ for an ID and for content that looks like it', async () => {
	expect(await keyOf({ id: 'a' }, 'id')).toMatch(/^[\w+/]{10}$/);
	expect(await keyOf({ id: 'a' }, 'id')).toBe(await keyOf({ id: 'a', read: true }, 'id'));
	expect(await keyOf({ id: 'a' }, '')).not.toBe(await keyOf({ id: 'a' }, 'id'));
	expect(await keyOf({ id: 'a' }, '')).not.toBe(await keyOf({ id: 'a', text: 'b' }, ''));
	expect(await keyOf({ id: 'a' }, 'id')).not.toBe(await keyOf({ ref: 'a' }, 'ref'));
	expect(await keyOf('{"id":"a"}', 'id')).not.toBe(await keyOf({ id: 'a' }, ''));
});

test('many messages are keyed in order, with other work in between', async () => {
	const messages = Array.from({ length: 5000 }, (_, id) => ({ id }));
	let keyed: KeyedMessage[] = [];
	const count = await countEventLoopTurns(async () => (keyed = await keyMessages(messages, 'id')));
	expect(count).toBeGreaterThanOrEqual(2);
	const counts = await countEventLoopTurns(async () => await keyMessages(messages, 'id', ''));
	expect(counts).toBeGreaterThanOrEqual(4 * count);
	expect(keyed.map(({ message }) => message)).toEqual(messages);
	expect(new Set(keyed.map(({ key }) => key)).size).toBe(5000);
});
