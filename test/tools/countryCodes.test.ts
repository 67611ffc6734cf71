import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { COUNTRY_CODES } from '../../nodes/MessagingAccount/parameters/countryCodes';
import { generateCountryCodes } from '../../tools/countryCodes/countryCodes';

const FILE = 'nodes/MessagingAccount/parameters/countryCodeEntries.ts';

test('the table of country codes is the one that generate.ts would write', () => {
	expect(readFileSync(join(__dirname, '../..', FILE), 'utf8')).toBe(generateCountryCodes());
});

test('no country code is the beginning of another one', () => {
	const codes = Object.keys(COUNTRY_CODES);
	expect(codes.length).toBeGreaterThan(200);
	for (const code of codes) {
		expect(codes.filter((other) => other.startsWith(code))).toEqual([code]);
	}
});

test.each([
	['44', [7, 9, 10], ['0'], {}],
	['34', [9], [], {}],
	['36', [8, 9], ['06'], {}],
	// Russia and Kazakhstan, whose numbers may begin with the 8 that is dialed in front of them.
	['7', [10, 14], ['8'], { 8: [10, 14] }],
	// No number of eleven digits begins with the 80 that is dialed in front of nine.
	[
		'375',
		[6, 7, 8, 9, 10, 11],
		['80', '8', '0'],
		{ 8: [6, 7, 8, 9, 10, 11], 80: [6, 7, 8, 9, 10] },
	],
	// The old and the new prefix.
	['370', [8], ['0', '8'], { 8: [8] }],
	// Italy dials the 0 from abroad, too.
	['39', [6, 7, 8, 9, 10, 11, 12], [], { 0: [6, 7, 8, 9, 10, 11, 12] }],
	// Longer numbers exist, but only behind Japan's 00.
	['81', [9, 10], ['0'], {}],
	// Not the seven digits of Canada's 310-XXXX.
	['1', [10], ['1'], {}],
	['52', [10], ['1'], { 1: [11] }],
	// No country: the satellites of Inmarsat.
	['870', [9, 12], [], {}],
])('+%s is described by %j, %j, %j', (code, lengths, trunk, begin) => {
	expect(COUNTRY_CODES[code]).toEqual({ lengths, trunk, begin });
});

test('no number is longer than E.164 allows', () => {
	for (const [code, country] of Object.entries(COUNTRY_CODES)) {
		expect(code.length + Math.max(...country!.lengths)).toBeLessThanOrEqual(15);
	}
});
