import { describeMessages } from '../../tools/checkService/messageReport';
import { ACCOUNT } from '../support/account';

/** Returns the sentences about a topic, and whether they are marked as notable. */
function describeTopic(topic: string, messages: unknown[], field?: string): [string, boolean] {
	const { sentences, isNotable = false } = describeMessages(messages, field, ACCOUNT).find(
		(finding) => finding.topic === topic,
	)!;
	return [sentences.join(' '), isNotable];
}

const about = (topic: string, messages: unknown[], field?: string) =>
	describeTopic(topic, messages, field)[0];
const isNotable = (topic: string, messages: unknown[]) => describeTopic(topic, messages)[1];

const list = (length: number, one: (i: number) => unknown) =>
	Array.from({ length }, (_, i) => one(i));
const minute = (i: number) => new Date(Date.UTC(2026, 10, 1, 0, i)).toISOString();

describe('the list', () => {
	const messages = list(10, (id) => ({ id }));

	test('is bare, or in a field', () => {
		expect(about('Messages', messages)).toBe('10 messages, in a bare list.');
		expect(about('Messages', messages, 'data')).toBe(
			"10 messages, in the field 'data' of an object.",
		);
		expect(isNotable('Messages', messages)).toBe(false);
	});

	test('says little if it is short', () => {
		expect(about('Messages', messages.slice(1))).toMatch('9 messages, in a bare list. Check again');
		expect(about('Messages', [{ id: 1 }])).toMatch('1 message, in');
		expect(isNotable('Messages', messages.slice(1))).toBe(true);
	});

	test('says nothing if it is empty', () => {
		expect(describeMessages([], undefined, ACCOUNT)).toEqual([
			{
				topic: 'Messages',
				sentences: ['The list is empty. Send a message to the account, then check again.'],
				isNotable: true,
			},
		]);
	});

	test.each([[['a', 'b']], [[{ id: 1 }, null]]])('may have plain values', (values) => {
		expect(about('Messages', values)).toMatch("an item holds such a message in its field 'value'.");
	});
});

describe('the message ID', () => {
	test('is in one field', () => {
		const messages = list(3, (i) => ({ message: { id: `m${i}` } }));
		expect(about('Message ID', messages)).toBe(
			"In 'message.id'. New Message finds this without 'Message ID Field'.",
		);
		expect(isNotable('Message ID', messages)).toBe(false);
	});

	test('takes two fields', () => {
		const messages = list(4, (i) => ({ id: i % 2, chat: i < 2 ? 'a' : 'b', text: `${i}` }));
		expect(about('Message ID', messages)).toMatch(
			/^In 'chat' and 'id' together\. .* 'id' alone may not be unique/,
		);
	});

	test('is missing in some messages', () => {
		const messages = [{ id: 'a' }, { id: 'b' }, { text: 'c' }];
		expect(about('Message ID', messages)).toMatch('Without an ID: 1 message.');
		expect(isNotable('Message ID', messages)).toBe(true);
	});

	test('may be in a field with another value in each message', () => {
		const messages = list(3, (i) => ({
			reference: `w${i}`,
			one: { nr: i },
			text: `some text ${i}`,
			same: 'x',
			...(i > 0 && { missing: i }),
			sent_at: minute(i),
			read_count: i,
			'a,b': i,
			'4915112345': i,
		}));
		expect(about('Message ID', messages)).toMatch(
			/No usual field has one.* If one of these is the ID, enter it in 'Message ID Field': reference, one\.nr\.$/,
		);
		expect(isNotable('Message ID', messages)).toBe(true);
	});

	test('is nowhere', () => {
		expect(about('Message ID', [{ text: 'a b' }, { text: 'c d' }])).toMatch(
			"If some field has the ID all the same, enter it in 'Message ID Field'.",
		);
	});
});

describe('the order and the time', () => {
	const oldestFirst = list(5, (i) => ({ id: `m${i}`, sent_at: minute(i) }));

	test('are told by times', () => {
		expect(about('Order', oldestFirst)).toBe("The oldest first, as the times in 'sent_at' tell.");
		expect(about('Order', oldestFirst.toReversed())).toMatch('The newest first');
		expect(about('Time', oldestFirst)).toBe(
			"In 'sent_at': 'Limit' of Get Messages takes the newest ones.",
		);
	});

	test('are told by numeric IDs', () => {
		const messages = list(5, (id) => ({ id }));
		expect(about('Order', messages)).toBe("The oldest first, as the numbers in 'id' tell.");
		expect(about('Time', messages)).toBe(
			"No field has it: 'Limit' of Get Messages takes the last ones of the list.",
		);
	});

	test('are not clear from times in any order', () => {
		const mixed = [3, 1, 4, 2].map((i) => oldestFirst[i]);
		expect(about('Order', mixed)).toMatch("Not clear from the times in 'sent_at'.");
		expect(isNotable('Order', mixed)).toBe(true);
	});

	test('are not known without times and numbers', () => {
		expect(about('Order', [{ id: 'b' }, { id: 'a' }])).toMatch('Not known');
		expect(isNotable('Order', [{ id: 'b' }, { id: 'a' }])).toBe(true);
	});

	test('a time that some messages lack is of no use to Limit', () => {
		const messages = [...oldestFirst, { id: 'last' }];
		expect(about('Time', messages)).toBe(
			"In 'sent_at', but not in every message: 'Limit' of Get Messages takes the last ones of the list.",
		);
		expect(isNotable('Time', messages)).toBe(true);
	});
});

describe('the fields', () => {
	test('are those of all messages whose values can be compared', () => {
		const messages = [
			{ id: 1, from: { id: 5, tags: ['x'] }, list: [1], nothing: null },
			{ id: 2, from_me: false },
		];
		expect(about('Fields', messages)).toBe("For 'Only Messages Where': id, from.id, from_me.");
	});

	test('are left out if their names may be data', () => {
		const messages = [
			{
				id: 1,
				'4915112345': 'x',
				seen: { '+4915112345': 1, chat4915112345: 1 },
				'Ada Lovelace': 1,
				[ACCOUNT.token]: 1,
			},
		];
		expect(about('Fields', messages)).toBe("For 'Only Messages Where': id.");
	});

	test('are none in plain values', () => {
		expect(about('Fields', ['a'])).toBe("None that 'Only Messages Where' could compare.");
	});
});
