import {
	findOrderById,
	findOrderByTime,
	findOrderByPosition,
	sortOldestFirst,
} from '../../../../nodes/MessagingAccount/messages/messageOrder';

describe('the positions of known and new messages', () => {
	const parse = (text: string) => [...text].map((mark) => mark === 'k');

	test.each([
		['kkn', -1],
		['nkk', 1],
		['nkkknn', -1],
		['nnnkkn', 1],
		['knnk', 0],
		['kk', 0],
		['nn', 0],
		['', 0],
	])('%s (k: known, n: new) show whether the newest is first: %s', (text, expected) => {
		expect(findOrderByPosition(parse(text))).toBe(expected);
	});
});

describe('times show whether the newest is first', () => {
	test.each([
		['as text', [{ sent_at: '2026-11-01T08:00:00Z' }, { sent_at: '2026-11-01T08:00:01Z' }], false],
		['named ts', [{ ts: 1700000002 }, { ts: 1700000001 }], true],
		['as a number', [{ timestamp: 1700000002 }, { timestamp: 1700000001 }], true],
		[
			'one level down',
			[{ message: { createdAt: '2026-11-02' } }, { message: { createdAt: '2026-11-01' } }],
			true,
		],
		['but not as a number that counts up', [{ id: 1 }, { id: 2 }], undefined],
		[
			'by four of five pairs',
			[
				{ date: 1700000005 },
				{ date: 1700000004 },
				{ date: 1700000006 },
				{ date: 1700000003 },
				{ date: 1700000002 },
				{ date: 1700000001 },
			],
			true,
		],
		[
			'but not by three of four',
			[
				{ date: 1700000005 },
				{ date: 1700000004 },
				{ date: 1700000006 },
				{ date: 1700000003 },
				{ date: 1700000002 },
			],
			undefined,
		],
		[
			'but not by the IDs of chats and senders',
			[
				{ chat: { id: 1 }, from: { id: 1 } },
				{ chat: { id: 2 }, from: { id: 2 } },
			],
			undefined,
		],
		[
			'before an ID',
			[
				{ id: 1, date: 1700000002 },
				{ id: 2, date: 1700000001 },
			],
			true,
		],
		[
			'one level down, separate from the top level',
			[
				{ date: 1700000001, message: { date: 1700000005 } },
				{ date: 1700000002, message: { date: 1700000005 } },
			],
			false,
		],
		[
			'but not two levels down',
			[{ chat: { message: { date: 1700000001 } } }, { chat: { message: { date: 1700000002 } } }],
			undefined,
		],
		[
			'field by field',
			[
				{ date: 1700000001, sent_time: 1700000005 },
				{ date: 1700000002, sent_time: 1700000005 },
			],
			false,
		],
		['as a text of digits', [{ timestamp: '1700000002' }, { timestamp: '1700000001' }], true],
		[
			'but not fields that change later',
			[
				{
					date: 1700000001,
					read_date: 1700000009,
					updatedAt: 1700000009,
					edited_at: 1700000009,
					deliveredTime: 1700000009,
				},
				{
					date: 1700000002,
					read_date: 1700000008,
					updatedAt: 1700000008,
					edited_at: 1700000008,
					deliveredTime: 1700000008,
				},
			],
			false,
		],
		['but not if they are equal', [{ date: 1700000005 }, { date: 1700000005 }], undefined],
		['but not with a single message', [{ date: 1700000005 }], undefined],
		['but not if only one message has a time', [{ date: 1700000005 }, {}], undefined],
		['but not with text that is not a date', [{ update: 'b 2' }, { update: 'a 1' }], undefined],
		[
			'but not with a date or digits inside other text',
			[
				{ time: 'on 2026-11-01', date: 'x1700000001', stamp: '1700000001x' },
				{ time: 'on 2026-11-02', date: 'x1700000002', stamp: '1700000002x' },
			],
			undefined,
		],
		[
			'as the long integers of protocol buffers',
			[
				{ messageTimestamp: { low: 1700000002, high: 0 } },
				{ messageTimestamp: { low: 1700000001, high: 0 } },
			],
			true,
		],
		[
			'as seconds and nanoseconds',
			[
				{ sent: { _seconds: 1700000001, _nanoseconds: 1 } },
				{ sent: { _seconds: 1700000001, _nanoseconds: 2e6 } },
			],
			false,
		],
		['as a day and a month', [{ at: '31/12/2025 10:00' }, { at: '01/12/2025 10:00' }], true],
		['as a month and a day', [{ at: '12/31/2025 10:00' }, { at: '1/12/2025 10:00' }], true],
		[
			'but not if it may be either',
			[{ at: '01/12/2025 10:00' }, { at: '02/11/2025 10:00' }],
			undefined,
		],
		[
			'in a field of any other name',
			[{ when: '2026-11-02T08:00Z' }, { when: '2026-11-01T08:00Z' }],
			true,
		],
		[
			'but not in one of a time that changes',
			[{ read: '2026-11-02T08:00Z' }, { read: '2026-11-01T08:00Z' }],
			undefined,
		],
		[
			'but not in a chat, whose name only ends like one',
			[{ chat: '1700000002' }, { chat: '1700000001' }],
			undefined,
		],
		['but not from other rising fields', [{ size: 1 }, { size: 2 }], undefined],
		['but not among plain values', ['a', 5, null], undefined],
		['but not without messages', [], undefined],
	])('%s', (_how, messages, expected) => {
		const order = findOrderByTime(messages)?.order || undefined;
		expect(order && order > 0).toBe(expected);
	});
});

test('the field counts that puts most neighbors in the same order', () => {
	const messages = [5, 4, 3, 2, 1].map((time, i) => ({
		created_at: 1700000000 + time,
		date: 1700000000 + [9, 1, 8, 2, 7][i],
	}));
	expect(findOrderByTime(messages)).toMatchObject({ field: 'created_at', order: 1, steps: 4 });
});

test('times of a chat or a person are none of the message', () => {
	const messages = [1, 2, 3].map((age) => ({
		chat: { createdAt: 1700000000 - age },
		birthdate: `200${age}-01-01`,
		meta: { timestamp: 1700000000 + age },
	}));
	expect(findOrderByTime(messages)).toMatchObject({ field: 'meta.timestamp', order: -1 });
});

test('times in no order still tell which message is newer', () => {
	const messages = [3, 1, 4, 1, 5].map((date) => ({ date: 1700000000 + date }));
	expect(findOrderByTime(messages)).toMatchObject({ field: 'date', order: 0, steps: 4 });
});

test.each([
	[[{ id: 1 }, { id: 2 }], { field: 'id', order: -1, steps: 1 }],
	[[{ message_ID: 2 }, { message_ID: 1 }], { field: 'message_ID', order: 1, steps: 1 }],
	[[{ key: { id: 2 } }, { key: { id: 1 } }], { field: 'key.id', order: 1, steps: 1 }],
	[[{ _id: 2 }, { _id: 1 }], { field: '_id', order: 1, steps: 1 }],
	[[{ id: 3 }, { id: 1 }, { id: 2 }], undefined],
	[[{ id: 'a' }, { id: 'b' }], undefined],
	[[{ chat: { id: 1 } }, { chat: { id: 2 } }], undefined],
])('numeric IDs that count up tell the order, too: %j', (messages, expected) => {
	const { field, order, steps } = findOrderById(messages) ?? {};
	expect(expected && { field, order, steps }).toEqual(expected);
	expect(order === undefined).toBe(expected === undefined);
});

test.each([
	[6, 'ab/cd', 'dcba'],
	[-1, 'ab/cd', 'cdab'],
	[0, 'ab/cd', 'dcba'],
	[0, 'ab', 'ab'],
])(
	'messages are sorted with the order %d, the newest on the first page: %s',
	(order, pages, expected) => {
		const lettersOf = (text: string) => [...text].map((key) => ({ key, message: key }));
		const sorted = sortOldestFirst(pages.split('/').map(lettersOf), order);
		expect(sorted.map(({ key }) => key).join('')).toBe(expected);
	},
);
