import {
	isNewestFirst,
	isNewestFirstByTime,
	sortOldestFirst,
} from '../../../../../nodes/MessagingAccount/events/newMessage/listOrder';

describe('known and new messages tell', () => {
	const marks = (text: string) => [...text].map((mark) => mark === 'k');

	test.each([
		['kkn', false],
		['nkk', true],
		['nkkknn', false],
		['nnnkkn', true],
		['knnk', undefined],
		['kk', undefined],
		['nn', undefined],
		['', undefined],
	])('of %s (k: known, n: new) whether the newest is first: %s', (text, expected) => {
		expect(isNewestFirst(marks(text))).toBe(expected);
	});
});

describe('times tell', () => {
	test.each([
		['as text', [{ sent_at: '2026-11-01T08:00:00Z' }, { sent_at: '2026-11-01T08:00:01Z' }], false],
		['as a number', [{ timestamp: 1700000002 }, { timestamp: 1700000001 }], true],
		[
			'one level down',
			[{ message: { createdAt: '2026-11-02' } }, { message: { createdAt: '2026-11-01' } }],
			true,
		],
		['as a number that counts up', [{ id: 1 }, { id: 2 }], false],
		['by most pairs', [{ date: 5 }, { date: 4 }, { date: 6 }, { date: 3 }, { date: 2 }], true],
		[
			'one level down, apart from the message itself',
			[
				{ date: 1, message: { date: 5 } },
				{ date: 2, message: { date: 5 } },
			],
			false,
		],
		[
			'nothing two levels down',
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
			'but not what changes later',
			[
				{ date: 1, read_date: 9, updatedAt: 9, edited_at: 9, deliveredTime: 9 },
				{ date: 2, read_date: 8, updatedAt: 8, edited_at: 8, deliveredTime: 8 },
			],
			false,
		],
		['nothing where they are equal', [{ date: 5 }, { date: 5 }], undefined],
		['nothing where they are of one message', [{ date: 5 }], undefined],
		['nothing where they are in one message', [{ date: 5 }, {}], undefined],
		['nothing where a text is no date', [{ update: 'b 2' }, { update: 'a 1' }], undefined],
		[
			'nothing where a date or digits are only a part of a text',
			[
				{ time: 'on 2026-11-01', date: 'x1700000001', stamp: '1700000001x' },
				{ time: 'on 2026-11-02', date: 'x1700000002', stamp: '1700000002x' },
			],
			undefined,
		],
		['nothing where something else rises', [{ size: 1 }, { size: 2 }], undefined],
		['nothing among plain values', ['a', 5, null], undefined],
		['nothing among none', [], undefined],
	])('%s', (_how, messages, expected) => {
		expect(isNewestFirstByTime(messages)).toBe(expected);
	});
});

test('where nothing tells the order, a page is taken for oldest first, and the first page for the newest', () => {
	expect(
		sortOldestFirst(
			[
				['c', 'd'],
				['a', 'b'],
			],
			undefined,
		),
	).toEqual(['a', 'b', 'c', 'd']);
});
