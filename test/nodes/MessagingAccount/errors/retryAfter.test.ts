import { parseRetryAfter } from '../../../../nodes/MessagingAccount/errors/retryAfter';
import fc from '../../../support/fastCheck';

const NOW = Date.parse('2026-11-21T08:00:00Z');

test.each([
	['5', 5000],
	[5, 5000],
	[' 0 ', 0],
	['007', 7000],
	['3600', 3_600_000],
	['99999999999', 2 ** 31 * 1000],
	['Sat, 21 Nov 2026 08:00:07 GMT', 7000],
	['Tue, 01 Dec 2026 08:00:00 GMT', 10 * 24 * 3_600_000],
	['Sat, 21 Nov 2026 07:00:00 GMT', 0],
	['Tue, 29 Feb 2028 00:00:00 GMT', Date.UTC(2028, 1, 29) - NOW],
])('%j is a delay of %s ms', (value, ms) => {
	expect(parseRetryAfter(value, NOW)).toBe(ms);
});

test.each([
	undefined,
	null,
	'',
	'soon',
	'retry 5',
	'-1',
	'+5',
	'1.5',
	'1e3',
	'5 s',
	'0x10',
	'5, 7',
	'٥',
	'2026-11-21T08:00:07Z',
	'21 Nov 2026 08:00:07 GMT',
	'Nov 21 2026',
	'Sat, 21 Nov 2026 08:00:07',
	'Sat, 21 Nov 2026 08:00:07 UTC',
	'Sat, 21 Nov 2026 08:00:07 +0100',
	'sat, 21 nov 2026 08:00:07 gmt',
	'Sat, 21 Nov 26 08:00:07 GMT',
	'Sat, 1 Dec 2026 08:00:07 GMT',
	'Sat, 21-Nov-2026 08:00:07 GMT',
	'Sat, 21-Nov-26 08:00:07 GMT',
	'Saturday, 21-Nov-26 08:00:07 GMT',
	'Tue Dec  1 08:00:00 2026',
	'Fri, 21 Nov 2026 08:00:07 GMT',
	'Invalid Date',
	'Sat, 31 Nov 2026 08:00:07 GMT',
	'Sat, 00 Nov 2026 08:00:07 GMT',
	'Mon, 29 Feb 2027 08:00:07 GMT',
	'Sat, 21 Nov 2026 24:00:00 GMT',
	'Sat, 21 Nov 2026 08:60:00 GMT',
	'Sat, 21 Nov 2026 08:00:61 GMT',
	'x Sat, 21 Nov 2026 08:00:07 GMT',
	'Sat, 21 Nov 2026 08:00:07 GMT x',
])('%j counts as absent', (value) => {
	expect(parseRetryAfter(value, NOW)).toBeUndefined();
});

test('every date in its preferred form is understood, and nothing else that a date can be read from', () => {
	const dates = fc.date({
		min: new Date('2026-11-21T08:00:00Z'),
		max: new Date('9999-12-31T23:59:59Z'),
		noInvalidDate: true,
	});
	fc.assert(
		fc.property(dates, (date) => {
			const wait = Math.floor(date.getTime() / 1000) * 1000 - NOW;
			expect(parseRetryAfter(date.toUTCString(), NOW)).toBe(wait);
			expect(parseRetryAfter(date.toISOString(), NOW)).toBeUndefined();
			expect(parseRetryAfter(date.toUTCString().slice(5), NOW)).toBeUndefined();
		}),
	);
});
