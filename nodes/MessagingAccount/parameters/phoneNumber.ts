import { InvalidInputError } from '../errors/errorClasses';
import { quote, readPlainText } from './plainValue';

const MIN_DIGITS = 5;

/** As E.164 has it. */
const MAX_DIGITS = 15;

/** IDs of groups are longer than phone numbers. They come as digits alone. */
const MAX_DIGITS_ALONE = 20;

/** Country codes, e.g. Italy's, behind which a 0 may be part of the number. Elsewhere it is only dialed within the country. */
const CODES_BEFORE_ZERO = '39 225 226 227 229 241 242 378 992'.split(' ');

/** Copied numbers may have any kind of space, hyphen, dash or minus. */
const UNKNOWN_CHARACTER = /[^\d+().,\p{Zs}\-\u2010-\u2015\u2212]/u;

const ENTER_ONE_NUMBER =
	'Enter one number with its country code: digits, with + ( ) - . or spaces between them, e.g. +1 202 555 0143.';

/**
 * Reads a phone number as the service expects it, as digits only: docs/api.md, "Send image". These are the digits as entered,
 * without 00 in front and without the (0) behind a country code. Anything that could mean another number is refused, because
 * the image would go to a stranger.
 *
 * @throws InvalidInputError
 */
export function readPhoneNumber(value: unknown): string {
	const text = readText(value);
	const isKnown = !UNKNOWN_CHARACTER.test(text);
	if (isKnown && !/\d/.test(text)) {
		throw new InvalidInputError("'Number' is empty", "Enter the recipient's number.");
	}
	// With a minus in front it would be a negative number.
	if (!isKnown || !/^[\d+(]/.test(text)) refuse(text, NOT_A_NUMBER);
	if (hasDecimalPart(text)) {
		refuse(text, 'has a decimal part', 'Pass it as text without one, e.g. 12025550143.');
	}
	if (text.includes(',')) refuse(text, NOT_A_NUMBER);
	if (text.lastIndexOf('+') > text.search(/[\d+]/)) refuse(text, 'has a + that is not in front');

	const number = text.replace(/^[(\p{Zs}]*(?:\+|00)/u, '');
	const isInternational = number !== text;
	if (/^\D*0/.test(number)) {
		refuse(
			text,
			'has no country code',
			'No country code begins with 0. Enter the number as it is dialed from abroad, e.g. +44 20 7946 0018 instead of 020 7946 0018.',
		);
	}
	const groups = splitGroups(number, isInternational);
	if (!groups) {
		refuse(
			text,
			'has a 0 in parentheses that may not be part of it',
			'Enter the number as it is dialed from abroad, e.g. +44 20 7946 0018.',
		);
	}
	const digits = groups.join('');
	const max = digits === text ? MAX_DIGITS_ALONE : MAX_DIGITS;
	if (digits.length < MIN_DIGITS) refuse(text, `has fewer than ${MIN_DIGITS} digits`);
	if (digits.length > max) refuse(text, `has more than ${max} digits`);
	// No number is written as two groups of this length, while seven digits are a number within a city.
	if (groups.filter((group) => group.length >= 7).length > 1) {
		refuse(text, 'looks like two numbers');
	}
	return digits;
}

const NOT_A_NUMBER = 'is not a phone number';

function refuse(text: string, reason: string, advice = ENTER_ONE_NUMBER): never {
	const where = reason === NOT_A_NUMBER ? '' : " in 'Number'";
	throw new InvalidInputError(`${quote(text)}${where} ${reason}`, advice);
}

/** Returns the value as text, without the invisible characters that come with numbers copied from a list of contacts. */
function readText(value: unknown): string {
	const text = readPlainText(value, 'Number', 'one number');
	if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
		refuse(text, 'is a number that JavaScript cannot represent exactly', 'Pass it as text.');
	}
	return text.replace(/\p{Cf}/gu, '').trim();
}

/**
 * Tells a decimal point or comma from a dot between groups of digits. At least four digits follow the dot of a phone number,
 * or two if it is not the only one. Digits with one dot and nothing else are a decimal number, unless they begin with + and a
 * country code: +1.2025550143.
 */
function hasDecimalPart(text: string): boolean {
	return (
		/^[^.,]*[.,]\D*(?:\d\D*){1,3}$/.test(text) ||
		/\.[^\d.]*\d\D*$/.test(text) ||
		(/^\+?\d+\.\d+$/.test(text) && !/^(?:\+|00)\d{1,3}\./.test(text))
	);
}

/**
 * Returns the groups of digits of a number without + or 00 in front, and without the (0) directly behind its country code.
 *
 * @returns undefined if any other 0 in parentheses may not be part of the number
 */
function splitGroups(number: string, isInternational: boolean): string[] | undefined {
	const code = isInternational ? COUNTRY_CODE.exec(number)?.[1] : undefined;
	const mayKeepZero = code !== undefined && CODES_BEFORE_ZERO.includes(code);
	const isTrunkZero = code !== undefined && !mayKeepZero;
	const certain = isTrunkZero ? number.replace(TRUNK_ZERO, '$1 ') : number;
	if ((mayKeepZero ? TRUNK_ZERO : ZERO_IN_PARENTHESES).test(certain)) return undefined;
	return certain.match(/\d+/g) ?? [];
}

/** The first group of digits, if it can be a country code: 1 and 7 are complete, all others have two or three digits. */
const COUNTRY_CODE = /^\D*([17]|[2-689]\d\d?)(?!\d)/;

const TRUNK_ZERO = /^(\D*\d+[^\d(]*)\(\p{Zs}*0\p{Zs}*\)/u;

const ZERO_IN_PARENTHESES = /\(\p{Zs}*0/u;
