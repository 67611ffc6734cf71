import {
	findListOrder,
	findOrderById,
	findOrderByPosition,
	sortOldestFirst,
	takeNewest,
	takeNewestEnd,
} from '../../../../nodes/MessagingAccount/messages/messageOrder';

/** A list of messages. */
const all = (...messages: unknown[]) => messages;

/** Messages that have these values in a field. */
const having = (name: string, ...values: unknown[]) => values.map((value) => ({ [name]: value }));

/** Messages whose times differ by so many seconds. */
const dates = (...seconds: number[]) => seconds.map((date) => ({ date: 1700000000 + date }));

const parse = (text: string) => [...text].map((mark) => mark === 'k');

const POSITIONS = { kkn: -1, nkk: 1, nkkknn: -1, nnnkkn: 1, knnk: 0, kk: 0, nn: 0, '': 0 };

test.each(Object.entries(POSITIONS))('%s (k: known, n: new) shows the order %s', (text, expected) =>
	expect(findOrderByPosition(parse(text))).toBe(expected),
);

const later = (at: number) => ({ read_date: at, updatedAt: at, edited_at: at, deliveredTime: at });
const CHANGED_LATER = dates(1, 2).map((one, i) => ({ ...one, ...later(1700000009 - i) }));
const SAME_BELOW = dates(1, 2).map((one) => ({ ...one, message: { date: 1700000005 } }));

test.each([
	['as text', having('sent_at', '2026-11-01T08:00:00Z', '2026-11-01T08:00:01Z'), false],
	['named ts', having('ts', 1700000002, 1700000001), true],
	['as a number', having('timestamp', 1700000002, 1700000001), true],
	['one level down', having('message', { at: '2026-11-02' }, { at: '2026-11-01' }), true],
	['but not as a number that counts up', having('id', 1, 2), undefined],
	['by four of five pairs', dates(5, 4, 6, 3, 2, 1), true],
	['but not by three of four', dates(5, 4, 6, 3, 2), undefined],
	['but not by the IDs of chats', having('chat', { id: 1 }, { id: 2 }), undefined],
	['but not by the IDs of senders', having('from', { id: 1 }, { id: 2 }), undefined],
	['before an ID', all({ id: 1, date: 1700000002 }, { id: 2, date: 1700000001 }), true],
	['one level down, separate from the top level', SAME_BELOW, false],
	['but not two levels down', dates(1, 2).map((message) => ({ chat: { message } })), undefined],
	['field by field', dates(1, 2).map((one) => ({ ...one, sent_time: 1700000005 })), false],
	['but not fields that change later', CHANGED_LATER, false],
	['but not if they are equal', dates(5, 5), undefined],
	['but not with a single message', dates(5), undefined],
	['but not if only one message has a time', all(...dates(5), {}), undefined],
	['as a day and a month', having('at', '31/12/2025 10:00', '01/12/2025 10:00'), true],
	['as a month and a day', having('at', '12/31/2025 10:00', '1/12/2025 10:00'), true],
	['but not as either', having('at', '01/12/2025 10:00', '02/11/2025 10:00'), undefined],
	['of any name', having('when', '2026-11-02T08:00Z', '2026-11-01T08:00Z'), true],
	['but not of reading', having('read', '2026-11-02T08:00Z', '2026-11-01T08:00Z'), undefined],
	['but not in a chat, named like it', having('chat', '1700000002', '1700000001'), undefined],
	['but not from other rising fields', having('size', 1, 2), undefined],
])('times show whether the newest is first %s', (_how, messages, expected) => {
	const order = findListOrder(messages).byTime?.order || undefined;
	expect(order && order > 0).toBe(expected);
});

const TWO_TIMES = dates(9, 1, 8, 2, 7).map((one, i) => ({ ...one, created_at: 1700000005 - i }));
/** But for one, these are times of a chat or a person. */
const OTHER_TIMES = [1, 2, 3].map((age) => ({
	chat: { createdAt: 1700000000 - age },
	birthdate: `200${age}-01-01`,
	customer: { created: 1700000000 - age },
	chat_created_at: 1700000000 - age,
	contactCreatedAt: 1700000000 - age,
	appointment_date: `200${age}-01-01`,
	meta: { timestamp: 1700000000 + age },
}));

test.each([
	['that puts most neighbors in the same order', TWO_TIMES, ['created_at', 1, 4]],
	['that is one of the message', OTHER_TIMES, ['meta.timestamp', -1, 2]],
	['in no order: it still tells which message is newer', dates(3, 1, 4, 1, 5), ['date', 0, 4]],
])('the field of times counts %s', (_which, messages, [field, order, steps]) => {
	expect(findListOrder(messages).byTime).toMatchObject({ field, order, steps });
});

test.each([
	[[{ id: 1 }, { id: 2 }], { field: 'id', order: -1, steps: 1 }],
	[[{ message_ID: 2 }, { message_ID: 1 }], { field: 'message_ID', order: 1, steps: 1 }],
	[[{ key: { id: 2 } }, { key: { id: 1 } }], { field: 'key.id', order: 1, steps: 1 }],
	[[{ id: 3 }, { id: 1 }, { id: 2 }], { field: 'id', order: 0, steps: 2 }],
	[
		[
			{ key: { id: 2 }, id: 1 },
			{ key: { id: 1 }, id: 2 },
		],
		{ field: 'id', order: -1, steps: 1 },
	],
	[[{ id: 'a' }, { id: 'b' }], undefined],
	[[{ id: -1 }, { id: -2 }], undefined],
	[[{ chat: { id: 1 } }, { chat: { id: 2 } }], undefined],
])('numeric IDs tell the order if they count up: %j', (messages, expected) => {
	const { field, order, steps } = findOrderById(messages) ?? {};
	expect(expected && { field, order, steps }).toEqual(expected);
	expect(order === undefined).toBe(expected === undefined);
});

const letters = (page: string) => [...page].map((key) => ({ key, message: key }));

test.each([
	[6, 'ab/cd', 'dcba'],
	[-1, 'ab/cd', 'cdab'],
	[0, 'ab/cd', 'dcba'],
	[0, 'ab', 'ab'],
])('sorted with the order %d, the newest on the first page: %s', (order, pages, expected) => {
	const sorted = sortOldestFirst(pages.split('/').map(letters), order);
	expect(sorted.map(({ key }) => key).join('')).toBe(expected);
});

const IDS = all({ id: 7 }, { id: 8 }, { id: 9 });
const DAYS = all({ date: '2026-11-01' }, { date: '2026-11-02' }, {}, { date: '2026-11-04' });
const SAME_SECOND = dates(3, 3, 2, 1).map((message, i) => ({ ...message, text: `text ${i}` }));
const UNCLEAR = all({ id: 'a' }, { id: 'b' }, { id: 'c' });

/** The limit, and the places in the list of those that are taken. */
test.each([
	['not more than the limit', UNCLEAR, 3, [0, 1, 2], true],
	['newest first', dates(3, 2, 1), 2, [0, 1], true],
	['newest first, two of the same second', SAME_SECOND, 1, [0], true],
	['newest last, two of the same second', SAME_SECOND.toReversed(), 1, [3], true],
	['newest last', dates(1, 2, 3), 2, [1, 2], true],
	['in any order, by their times', dates(2, 3, 1), 2, [0, 1], true],
	['newest last, and one without a time', DAYS, 1, [3], true],
	['newest first, and one without a time', DAYS.toReversed(), 1, [0], true],
	['newest last by their IDs', IDS, 1, [2], true],
	['newest first by their IDs', IDS.toReversed(), 1, [0], true],
	['nothing tells', UNCLEAR, 2, [1, 2], false],
])('the newest messages are taken: %s', (_how, messages, limit, places, isCertain) => {
	const page = messages.map((message, i) => ({ key: `${i}`, message }));
	const newest = places.map((place) => messages[place]);
	expect(takeNewest([page], limit)).toEqual({ newest, isCertain });
});

test.each([
	['not too long', UNCLEAR, 3, UNCLEAR],
	['newest first by their IDs', IDS.toReversed(), 1, all({ id: 9 })],
	['newest last by their IDs', IDS, 1, all({ id: 9 })],
	['times in no order', dates(1, 3, 2), 2, undefined],
	['nothing tells', UNCLEAR, 2, undefined],
])('a list that is too long is cut to its newest end: %s', (_how, messages, limit, expected) => {
	expect(takeNewestEnd(messages, limit)).toEqual(expected);
});
