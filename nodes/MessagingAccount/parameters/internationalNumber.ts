import { InvalidInputError } from '../errors/errorClasses';
import type { CountryCode } from './countryCodes';
import { describeLengths, hasPossibleLength, listLengths, listPrefixes } from './countryCodes';
import { ENTER_INTERNATIONAL, refuse } from './numberText';
import { quote } from './text';

/** A number behind an area code, as written within countries where these have two digits. In Chile and Singapore, so are whole numbers. */
const LOCAL = /^(?!56|65)\d\d\D+(?:9\D*)?\d{4}\D+\d{4}$/;

/** Reads a number that begins with the code of this country. @throws InvalidInputError */
export function readInternational(text: string, country: CountryCode, number: string): string {
	const behindCode = skipDigits(number, country.code.length);
	const isPossible = hasPossibleLength(country, toDigits(behindCode));
	const national = isPossible ? behindCode : leaveOutTrunkPrefix(text, country, behindCode);
	if (/\(\p{Zs}*0\p{Zs}*\)/u.test(national))
		refuse(text, 'has a 0 in parentheses that may not be part of it', ENTER_INTERNATIONAL);
	return country.code + toDigits(national);
}

/** Whether the first digits must be the country code, not perhaps an area code. @param withoutPrefix `plain` without + or 00 in front */
export function standsApart(code: string, plain: string, withoutPrefix: string): boolean {
	const behindCode = skipDigits(withoutPrefix, code.length);
	const upToCode = withoutPrefix.slice(0, withoutPrefix.length - behindCode.length);
	// Something splits the 84, Vietnam, of +8 (495) 123-45-67 and +8 495 123 45 67. But +38 (067) 123 45 67 is how people write +380 67.
	if (/\d\D{0,9}\(\D{0,9}[1-9]|^\D{0,9}8\D{1,9}[1-9]/.test(upToCode)) return false;
	if (withoutPrefix !== plain) return true;
	// 51 98765-4321 is a number in Brazil, not in Peru: so people write numbers within Brazil, Mexico and India.
	if (LOCAL.test(plain)) return false;
	// Australia's 61 in 61 2 3456 7890, but not in 612 34 56 78, a number in Spain.
	return withoutPrefix.match(/^\d*/)![0] === code && toDigits(behindCode).length > 7;
}

export const toDigits = (number: string) => number.replace(/\D/g, '');

export const skipDigits = (number: string, count: number) =>
	number.replace(new RegExp(`^(?:\\D*\\d){${count}}`), '');

/** Leaves out what is not dialed from abroad, if it is in parentheses. @throws InvalidInputError, with the correct number if it is not */
function leaveOutTrunkPrefix(text: string, country: CountryCode, behindCode: string): string {
	const national = toDigits(behindCode);
	const prefix = listPrefixes(country, national).find((one) =>
		hasPossibleLength(country, national.slice(one.length)),
	);
	if (!prefix) refuseLength(text, country, national);
	const rest = skipDigits(behindCode, prefix.length);
	if (/^[^\d(]*\(/.test(behindCode)) return rest;
	const isTrunk = country.trunk.includes(prefix);
	const reason = isTrunk ? 'is only dialed within the country' : 'is not part of the number';
	const advice = `Enter +${country.code} ${rest.match(/\d+/g)!.join(' ')}.`;
	throw new InvalidInputError(`In ${quote(text).slice(1, -1)}, the ${prefix} ${reason}`, advice);
}

function refuseLength(text: string, { code, lengths }: CountryCode, national: string): never {
	const [, area, local] = (code === '54' && /^9?0?([1-9]\d{1,3})15(\d{6,8})$/.exec(national)) || [];
	if (area && area.length + local.length === 10) {
		const advice = `Enter +54 9 ${area} ${local}.`;
		refuse(text, 'has a 15 that is only dialed within the country', advice);
	}
	const reason = listLengths(lengths).includes(national.length)
		? `cannot be right: no number of this length begins with +${code} ${national[0]}`
		: `has ${national.length} instead of ${describeLengths(lengths)} digits after +${code}`;
	refuse(text, reason, 'Enter one number, as it is dialed from abroad and without an extension.');
}
