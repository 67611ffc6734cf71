import { parseRetryAfter } from '../../../../nodes/MessagingAccount/errors/retryAfter';
import fc from '../../../support/fastCheck';

const NOW = Date.parse('2026-11-21T08:00:00Z');

test.each([
	['5', 5000],
	[5, 5000],
	['3600', 3_600_000],
	['99999999999', 2 ** 31 * 1000],
	['Sat, 21 Nov 2026 08:00:07 GMT', 7000],
	['Sat, 21 Nov 2026 07:00:00 GMT', 0],
	['Tue, 29 Feb 2028 00:00:00 GMT', Date.UTC(2028, 1, 29) - NOW],
])('%j is a delay of %s ms', (value, ms) => expect(parseRetryAfter(value, NOW)).toBe(ms));

test.each([
	...[undefined, null, '', 'soon', 'retry 5', '-1', '1.5', '٥', 'Nov 21 2026', 'Invalid Date'],
	...['Sat, 21 Nov 2026 08:00:07 UTC', 'sat, 21 nov 2026 08:00:07 gmt'],
	...['Fri, 21 Nov 2026 08:00:07 GMT', 'Sat, 31 Nov 2026 08:00:07 GMT'],
	...['x Sat, 21 Nov 2026 08:00:07 GMT', 'Sat, 21 Nov 2026 08:00:07 GMT x'],
])('%j counts as absent', (value) => expect(parseRetryAfter(value, NOW)).toBeUndefined());

test('every date in its preferred form is understood, and nothing else that a date can be read from', () => {
	const [min, max] = [new Date(NOW), new Date('9999-12-31T23:59:59Z')];
	fc.assert(
		fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
			const wait = Math.floor(date.getTime() / 1000) * 1000 - NOW;
			expect(parseRetryAfter(date.toUTCString(), NOW)).toBe(wait);
			expect(parseRetryAfter(date.toISOString(), NOW)).toBeUndefined();
			expect(parseRetryAfter(date.toUTCString().slice(5), NOW)).toBeUndefined();
		}),
	);
});
