import { COUNTRY_CODES, listLengths } from '../../nodes/MessagingAccount/parameters/countryCodes';
import { generateCountryCodes } from '../../tools/countryCodes/countryCodes';
import { readDocument } from '../docs/documents';

const FILE = 'nodes/MessagingAccount/parameters/countryCodeEntries.ts';

test('the table of country codes is the one that generate.ts would write', () => {
	expect(readDocument(FILE)).toBe(generateCountryCodes());
});

test('no country code is the beginning of another one', () => {
	const codes = Object.keys(COUNTRY_CODES);
	expect(codes.length).toBeGreaterThan(200);
	for (const code of codes) expect(codes.filter((one) => one.startsWith(code))).toEqual([code]);
});

test.each([
	// Longer numbers exist, but only behind Japan's 00.
	['81', '9,10', ['0']],
	// No country: the satellites of Inmarsat.
	['870', '9,12', []],
])('+%s is described by %j, %j', (code, lengths, trunk) => {
	expect(COUNTRY_CODES[code]).toEqual({ code, lengths, trunk, begin: {} });
});

test('no number is longer than E.164 allows', () => {
	for (const [code, country] of Object.entries(COUNTRY_CODES)) {
		expect(code.length + Math.max(...listLengths(country!.lengths))).toBeLessThanOrEqual(15);
	}
});
