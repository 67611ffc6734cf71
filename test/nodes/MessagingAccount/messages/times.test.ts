import {
	findFirstPart,
	looksLikeTime,
	parseTime,
} from '../../../../nodes/MessagingAccount/messages/times';

const MS = Date.UTC(2026, 10, 22, 8);

/** Splits a text into the entries of its lines. */
const list = (text: string) => text.trim().split(/ \| |\n/);

/** All of them are `MS`. */
const TEXTS = list(`
2026-11-22T08:00:00Z | 2026-11-22T09:00:00+01:00 | 20261122T080000Z | 20261122080000
Sun, 22 Nov 2026 08:00:00 GMT | 22 Nov 2026 08:00 GMT | Nov 22, 2026 08:00 GMT
2026/11/22 08:00:00Z | ${MS / 1000} | ${MS}000000
`);
const NUMBERS = [20261122080000, MS / 1000, MS, MS * 1000, MS * 1e6];
const OBJECTS = [
	{ epochSecond: MS / 1000, nano: 0 },
	{ low: MS / 1000, high: 0, unsigned: true },
	{ low: MS % 2 ** 32 | 0, high: Math.floor(MS / 2 ** 32), unsigned: false },
	{ seconds: MS / 1000, nanoseconds: 0 },
	{ seconds: String(MS / 1000), nanos: 0 },
	{ seconds: { low: MS / 1000, high: 0 } },
	{ _seconds: MS / 1000, _nanoseconds: 0 },
	{ $date: '2026-11-22T08:00:00Z' },
	{ $date: { $numberLong: String(MS) } },
];

/** None of them is a time. */
const OTHER_TEXTS = list(`
0001-01-01T00:00:00Z | 1970-01-01T00:00:00Z | 2100-01-01T00:00:00Z | 12025551004
22/11/2026 08:00 | on 2026-11-22 | x1700000000 | Order 5 of 2026 | Hey Ann, in 2026
`);
const OTHER_VALUES: unknown[] = [
	`Sun, 22 Nov 2026 08:00 ${'('.repeat(80)})`,
	...[0, -1, NaN, 5, 12025551004, true, null, undefined, [1700000000]],
];
const OTHER_OBJECTS: unknown[] = [{}, { toString: 1 }, { seconds: null }, { low: 1700000000 }];

describe('a time', () => {
	test.each([...TEXTS, ...NUMBERS, ...OBJECTS])('is read from %j', (value) => {
		expect(parseTime(value)).toBe(MS);
	});

	test.each([...OTHER_TEXTS, ...OTHER_VALUES, ...OTHER_OBJECTS])('is not read from %j', (value) => {
		expect(parseTime(value)).toBeUndefined();
	});

	test.each([
		['day', '22/11/2026 08:00'],
		['day', '22.11.2026 08:00:00'],
		['day', '22-11-2026, 8:00'],
		['day', '22/11/26 08:00'],
		['day', '22/11/2026 08.00.00'],
		['day', '22/11/2026 08:00:00.123'],
		['month', '11/22/2026, 8:00:00 a.m.'],
		['month', '11/22/2026 08:00'],
		['month', '11/22/2026, 8:00:00 AM'],
	] as const)('that begins with the %s is read from %s', (firstPart, text) => {
		expect(parseTime(text, firstPart)).toBe(MS);
		const slashed = text.replace(/^(\d+).(\d+)./, '$1/$2/');
		expect(findFirstPart(['01/02/2026 10:00', slashed])).toBe(firstPart);
	});

	test('at noon or midnight is read from twelve hours', () => {
		expect(parseTime('11/22/2026, 12:30 AM', 'month')).toBe(Date.UTC(2026, 10, 22, 0, 30));
		expect(parseTime('11/22/2026, 12:30 PM', 'month')).toBe(Date.UTC(2026, 10, 22, 12, 30));
	});

	test('may have a fraction of a ms', () => {
		expect(parseTime(1700000000.5)).toBe(1700000000500);
		expect(parseTime({ seconds: 1700000000, nanoseconds: 250_000 })).toBe(1700000000000.25);
	});

	test('is not read from a month that does not exist', () =>
		expect(parseTime('22/13/2026 08:00', 'day')).toBeUndefined());
});

test('the day is first where both readings give the same order, or with dots', () => {
	expect(findFirstPart(['05/06/2026 10:00', '05/06/2026 09:00'])).toBe('day');
	expect(findFirstPart(['05.06.2026 10:00', '06.05.2026 09:00'])).toBe('day');
	expect(findFirstPart(['05/06/2026 10:00', '06/05/2026 09:00'])).toBeUndefined();
	expect(findFirstPart(['22/11/2026 08:00', '11/22/2026 08:00'])).toBeUndefined();
});

test('a value with a field that is named like a method is none', () => {
	expect(looksLikeTime({ toString: 1 })).toBe(false);
	expect(findFirstPart([{ toString: 1 }])).toBeUndefined();
});
