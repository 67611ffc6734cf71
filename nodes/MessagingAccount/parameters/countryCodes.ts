import { COUNTRY_CODE_ENTRIES } from './countryCodeEntries';

/** The form of the national numbers after a country calling code, in all countries that share it. */
export interface CountryCode {
	/** The possible numbers of digits of a national number, e.g. “6-8,10”. */
	lengths: string;
	/** The prefixes that are dialed only within the country, the longest first. */
	trunk: string[];
	/** The possible lengths of national numbers that themselves begin with such a prefix, or with 0, by prefix. No others do. */
	begin: Record<string, string | undefined>;
}

export const COUNTRY_CODES: Record<string, CountryCode | undefined> = Object.fromEntries(
	COUNTRY_CODE_ENTRIES.trim()
		.split(/\s/)
		.map((entry) => {
			const [code, lengths, trunk = '', begin = ''] = entry.split(/[:/]/);
			const beginnings = (begin.match(/[^;]+/g) ?? []).map((one) => one.split('='));
			const plan = { lengths, trunk: trunk.match(/\d+/g) ?? [] };
			return [code, { ...plan, begin: Object.fromEntries(beginnings) } as CountryCode];
		}),
);

/** Lists lengths like “6-8,10”. */
export function listLengths(text: string): number[] {
	return text.split(',').flatMap((range) => {
		const [first, last = first] = range.split('-').map(Number);
		return Array.from({ length: last - first + 1 }, (_, i) => first + i);
	});
}
