import {
	isNewestFirst,
	isNewestFirstByTime,
	sortOldestFirst,
} from '../../../../../nodes/MessagingAccount/events/newMessage/messageOrder';

describe('the positions of known and new messages', () => {
	const parse = (text: string) => [...text].map((mark) => mark === 'k');

	test.each([
		['kkn', false],
		['nkk', true],
		['nkkknn', false],
		['nnnkkn', true],
		['knnk', undefined],
		['kk', undefined],
		['nn', undefined],
		['', undefined],
	])('%s (k: known, n: new) show whether the newest is first: %s', (text, expected) => {
		expect(isNewestFirst(parse(text))).toBe(expected);
	});
});

describe('times show whether the newest is first', () => {
	test.each([
		['as text', [{ sent_at: '2026-11-01T08:00:00Z' }, { sent_at: '2026-11-01T08:00:01Z' }], false],
		['as a number', [{ timestamp: 1700000002 }, { timestamp: 1700000001 }], true],
		[
			'one level down',
			[{ message: { createdAt: '2026-11-02' } }, { message: { createdAt: '2026-11-01' } }],
			true,
		],
		['as a number that counts up', [{ id: 1 }, { id: 2 }], false],
		[
			'by the majority of pairs',
			[{ date: 5 }, { date: 4 }, { date: 6 }, { date: 3 }, { date: 2 }],
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
		expect(isNewestFirstByTime(messages)).toBe(expected);
	});
});

test('without any clue, a page counts as oldest first, and the first page as the newest', () => {
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
