import {
	findOrderById,
	findOrderByTime,
	getTime,
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
			[{ date: 5 }, { date: 4 }, { date: 6 }, { date: 3 }, { date: 2 }, { date: 1 }],
			true,
		],
		[
			'but not by three of four',
			[{ date: 5 }, { date: 4 }, { date: 6 }, { date: 3 }, { date: 2 }],
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
				{ id: 1, date: 2 },
				{ id: 2, date: 1 },
			],
			true,
		],
		[
			'one level down, separate from the top level',
			[
				{ date: 1, message: { date: 5 } },
				{ date: 2, message: { date: 5 } },
			],
			false,
		],
		[
			'but not two levels down',
			[{ chat: { message: { date: 1 } } }, { chat: { message: { date: 2 } } }],
			undefined,
		],
		[
			'field by field',
			[
				{ date: 1, sent_time: 5 },
				{ date: 2, sent_time: 5 },
			],
			false,
		],
		['as a text of digits', [{ timestamp: '1700000002' }, { timestamp: '1700000001' }], true],
		[
			'but not fields that change later',
			[
				{ date: 1, read_date: 9, updatedAt: 9, edited_at: 9, deliveredTime: 9 },
				{ date: 2, read_date: 8, updatedAt: 8, edited_at: 8, deliveredTime: 8 },
			],
			false,
		],
		['but not if they are equal', [{ date: 5 }, { date: 5 }], undefined],
		['but not with a single message', [{ date: 5 }], undefined],
		['but not if only one message has a time', [{ date: 5 }, {}], undefined],
		['but not with text that is not a date', [{ update: 'b 2' }, { update: 'a 1' }], undefined],
		[
			'but not with a date or digits inside other text',
			[
				{ time: 'on 2026-11-01', date: 'x1700000001', stamp: '1700000001x' },
				{ time: 'on 2026-11-02', date: 'x1700000002', stamp: '1700000002x' },
			],
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
		created_at: time,
		date: [9, 1, 8, 2, 7][i],
	}));
	expect(findOrderByTime(messages)).toEqual({ field: 'created_at', order: 1, steps: 4 });
});

test('times in no order still tell which message is newer', () => {
	const messages = [3, 1, 4, 1, 5].map((date) => ({ date }));
	expect(findOrderByTime(messages)).toEqual({ field: 'date', order: 0, steps: 4 });
});

test.each([
	[{ at: { date: '2026-11-22T08:00:00Z' } }, Date.UTC(2026, 10, 22, 8)],
	[{ at: { date: 'Sun, 22 Nov 2026 08:00:00 GMT' } }, Date.UTC(2026, 10, 22, 8)],
	[{ at: { date: '1700000000.5' } }, 1700000000.5],
	[{ at: { date: null } }, undefined],
	[{ at: null }, undefined],
])('the time of %j is %j', (message, expected) => {
	expect(getTime(message, 'at.date')).toBe(expected);
});

test.each([
	[[{ id: 1 }, { id: 2 }], { field: 'id', order: -1, steps: 1 }],
	[[{ _id: 2 }, { _id: 1 }], { field: '_id', order: 1, steps: 1 }],
	[[{ id: 3 }, { id: 1 }, { id: 2 }], undefined],
	[[{ id: 'a' }, { id: 'b' }], undefined],
	[[{ chat: { id: 1 } }, { chat: { id: 2 } }], undefined],
])('numeric IDs that count up tell the order, too: %j', (messages, expected) => {
	expect(findOrderById(messages)).toEqual(expected);
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
