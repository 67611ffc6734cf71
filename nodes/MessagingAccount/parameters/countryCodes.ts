import { COUNTRY_CODE_ENTRIES } from './countryCodeEntries';

/** A country calling code, and the form of the national numbers after it, in all countries that share it. */
export interface CountryCode {
	code: string;
	/** The possible numbers of digits of a national number, e.g. “6-8,10”. */
	lengths: string;
	/** The prefixes that are dialed only within the country, the longest first. */
	trunk: string[];
	/** The possible lengths of national numbers that themselves begin with such a prefix, or with 0: Italy's 39 has { '0': '6-12' }. */
	begin: Record<string, string | undefined>;
}

export const COUNTRY_CODES: Record<string, CountryCode | undefined> = Object.fromEntries(
	COUNTRY_CODE_ENTRIES.trim()
		.split(/\s/)
		.map((entry) => {
			const [code, lengths, trunk = '', begin = ''] = entry.split(/[:/]/);
			const beginnings = (begin.match(/[^;]+/g) ?? []).map((one) => one.split('='));
			const plan = { code, lengths, trunk: trunk.match(/\d+/g) ?? [] };
			return [code, { ...plan, begin: Object.fromEntries(beginnings) } as CountryCode];
		}),
);

/** Finds the code with which a number begins. @example findCountryCode('4915123456')?.code // '49' */
export const findCountryCode = (digits: string) =>
	[1, 2, 3].map((n) => COUNTRY_CODES[digits.slice(0, n)]).find(Boolean);

export function hasPossibleLength(country: CountryCode, national: string): boolean {
	const [prefix] = listPrefixes(country, national);
	const lengths = (prefix ? country.begin[prefix] : country.lengths) ?? '';
	return listLengths(lengths).includes(national.length);
}

/** Lists the prefixes that may have to be left out of a national number, the longest first. */
export const listPrefixes = ({ trunk }: CountryCode, national: string) =>
	[...trunk, '0'].filter((prefix) => national.startsWith(prefix));

/** @example listLengths('6-8,10') // [6, 7, 8, 10] */
export function listLengths(text: string): number[] {
	return text.split(',').flatMap((range) => {
		const [first, last = first] = range.split('-').map(Number);
		return Array.from({ length: last - first + 1 }, (_, i) => first + i);
	});
}

/** @example describeLengths('6-8,10') // '6 to 8 or 10' */
export function describeLengths(text: string): string {
	const list = text.replace(/,([^,]*)$/, ' or $1').replaceAll(',', ', ');
	return list.replaceAll('-', ' to ');
}
