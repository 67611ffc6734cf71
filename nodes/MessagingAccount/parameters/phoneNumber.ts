import { InvalidInputError } from '../errors/errorClasses';
import { findCountryCode, hasPossibleLength } from './countryCodes';
import { standsApart, readInternational, skipDigits, toDigits } from './internationalNumber';
import {
	ENTER_INTERNATIONAL,
	FORMAT_AS_TEXT,
	NOT_A_NUMBER,
	readNumberText,
	refuse,
	SCIENTIFIC,
	toPlainNumber,
} from './numberText';

const MIN_DIGITS = 5;
const MAX_DIGITS = 20;

/** A character that no number has. Copied numbers may have any kind of space, hyphen, dash or minus. */
export const UNKNOWN_CHARACTER = /[^\d+().,/_~\t\p{Zs}\-\u2010-\u2015\u2212]/u;

const INTERNATIONAL_PREFIX = /^[(\p{Zs}]*(?:\+|00)/u;

/** 1,234,567.89 or 12,34,567 */
const AMOUNT = /^\d{1,3}(?:([.,'’٬])\d{3})(?:\1\d{3})+([.,]\d+)?$|^\d{1,2}(,\d\d)+,\d{3}$/;

const DATE = /^(?:\d{4}\D{1,2}\d{1,2}\D{1,2}\d{1,2}|\d{1,2}\D{1,2}\d{1,2}\D{1,2}(?:19|20)\d\d)$/;
const EXTENSION = /\d\D+\d+\D*\(\d{1,4}\)\D*$/;
/** Nobody writes one number as two groups of seven or more digits: seven digits are a number within a city. */
const TWO_NUMBERS = /\d{7}\D.*\d{7}/;
const ALL_DIGITS = /^(?!00)\d+$/;

const TAKE_OTHER_FIELD =
	'Take the field with the phone number of the sender, e.g. senderPn, participantPn, remoteJidAlt, participant or author.';
const LEAVE_OUT_DOTS =
	'Write it without dots and commas, e.g. +1 202 555 0143. In a spreadsheet, format the column as text first.';
const CHECK_END =
	'If the last digits belong to the number, write them without / ~ or ( ). Otherwise, leave them out.';

const HAS_OTHER_END = 'may end with an extension or a second number';
const HAS_NO_CODE = 'has no country code';
const IS_AMOUNT = 'is written like an amount, with separators between thousands';

/** @param plain as `toPlainNumber` returns it @param rest the same without + or 00 in front */
type Fits = (plain: string, rest: string) => boolean;

/** An ID that messengers use besides phone numbers, e.g. `182734918273491@lid`, with its kind. */
export const OTHER_ID = /@(?:hosted\.)?(lid|g\.us|newsletter|broadcast|bot)(?:\.whatsapp\.net)?$/i;
const hidesNumber = (plain: string) => OTHER_ID.exec(plain)?.[1].toLowerCase() === 'lid';

/**
 * What is refused, whatever its country code, and why. The first row that fits is reported: what is another thing for sure, what may be,
 * numbers without a country code, digits that are too few or too many. A row relies on those above it: below that of `UNKNOWN_CHARACTER`, a
 * text has only digits and separators, and below that of the comma no commas.
 */
const REFUSED: Array<[fits: Fits, reason: string, advice?: string]> = [
	[hidesNumber, 'is an ID that hides a phone number', TAKE_OTHER_FIELD],
	[(it) => OTHER_ID.test(it), 'is the ID of a group, a channel or the like', TAKE_OTHER_FIELD],
	[(plain) => SCIENTIFIC.test(plain), 'has lost its last digits', FORMAT_AS_TEXT],
	// With dots alone, it may be a number behind its country code, as 44.207.946.001 is.
	[(plain) => AMOUNT.test(plain) && /[^\d.]/.test(plain), IS_AMOUNT, FORMAT_AS_TEXT],
	// With a minus in front, it would be a negative number.
	[(plain) => UNKNOWN_CHARACTER.test(plain) || !/^[\d+(]/.test(plain), NOT_A_NUMBER],
	[hasDecimalPart, 'could be a decimal number', LEAVE_OUT_DOTS],
	[(plain) => plain.includes(','), NOT_A_NUMBER],
	[(plain) => plain.lastIndexOf('+') > plain.search(/[\d+]/), 'has a + that is not in front'],
	[(plain) => DATE.test(plain), 'looks like a date'],
	[(_, rest) => EXTENSION.test(rest), HAS_OTHER_END, CHECK_END],
	[(_, rest) => hasShortEnd(rest) || hasSecondEnd(rest), HAS_OTHER_END, CHECK_END],
	[(_, rest) => TWO_NUMBERS.test(rest), 'looks like two numbers'],
	[(plain) => /^0(?!0)\d*$/.test(plain), HAS_NO_CODE, ENTER_INTERNATIONAL],
	[(it) => ALL_DIGITS.test(it) && it.length < MIN_DIGITS, `has fewer than ${MIN_DIGITS} digits`],
	// The IDs of groups, which are digits alone, are longer than phone numbers.
	[(it) => ALL_DIGITS.test(it) && it.length > MAX_DIGITS, `has more than ${MAX_DIGITS} digits`],
];

/**
 * Returns a phone number in digits, as the service expects it: docs/api.md, "Send image". Digits alone are returned as entered. All other
 * spellings must be possible with their country code, and lose a leading 00 and digits that are dialed only within the country, as in +44
 * (0)20. Anything that could mean another number is refused, because the image would go to a stranger. @throws InvalidInputError
 */
export function readPhoneNumber(value: unknown): string {
	const text = readNumberText(value);
	const plain = toPlainNumber(text);
	if (!UNKNOWN_CHARACTER.test(plain) && !/\d/.test(plain))
		throw new InvalidInputError("'Number' is empty", 'The cell may be empty: enter the number.');
	const rest = plain.replace(INTERNATIONAL_PREFIX, '');
	const [, reason, advice] = REFUSED.find(([fits]) => fits(plain, rest)) ?? [];
	if (reason) refuse(text, reason, advice);
	if (ALL_DIGITS.test(plain)) return plain;
	const country = findCountryCode(toDigits(rest));
	if (!country) refuse(text, HAS_NO_CODE, ENTER_INTERNATIONAL);
	if (standsApart(country.code, plain, rest)) return readInternational(text, country, rest);
	if (AMOUNT.test(plain)) refuse(text, IS_AMOUNT, FORMAT_AS_TEXT);
	refuse(text, 'may have no country code', ENTER_INTERNATIONAL);
}

/** What shows a decimal point or comma: between groups, dots have more digits behind them. */
const DECIMAL = [
	/^[^.,]*[.,]\D*(?:\d\D*){1,3}$/, // 49151.5
	/\.[^\d.]*\d\D*$/, // 1.555.010.0000.0
	/^\d+\.\d+$/, // 1.2025550143
];
/** The same with + or 00 in front, where groups may have fewer digits, and one dot may be behind the country code: +1.2025550143. */
const INTERNATIONAL_DECIMAL = [
	/^[^.]*\.(?:[^\d.]*0){1,3}[^\d.]*$/, // +1 555 010 0000.000
	/\d{5}[^\d.]*\.(?:[^\d.]*\d){1,3}[^\d.]*$/, // +49 1711234567.25
	/\d{4}[^\d.]*\.[^\d.]*\d[^\d.]*$/, // +1.555.010.0000.0
	/^(?:00|(?:\+|00)\d{4,})\.\d+$/, // +4915.12345678
];

function hasDecimalPart(plain: string): boolean {
	if (AMOUNT.test(plain)) return false;
	const isInternational = INTERNATIONAL_PREFIX.test(plain) && !plain.includes(',');
	return (isInternational ? INTERNATIONAL_DECIMAL : DECIMAL).some((one) => one.test(plain));
}

/** Whether the end only hints at a second number: +49 30 12345/6 is not 123456. Slashes between all groups are separators. */
function hasShortEnd(rest: string): boolean {
	const [, end] = /[/~]([^/~]*)$/.exec(rest) ?? [];
	return end !== undefined && toDigits(end).length < 4 && /[^\d/~]/.test(rest);
}

/** Whether there is a whole number in front of a / ~ or tab: +49 7031 4567 / 4568. One group alone may be the area code. */
function hasSecondEnd(rest: string): boolean {
	const [, front, end] = /^([^/~\t]+)[/~\t]([^/~\t]*)$/.exec(rest) ?? [];
	const country = front && findCountryCode(toDigits(front));
	if (!country) return false;
	const groups = skipDigits(front, country.code.length).replace(/\(0\)/, '').match(/\d+/g) ?? [];
	// It has as many digits as what it replaces. A tab divides two cells.
	const isAsLong = groups.at(-1)?.length === toDigits(end).length;
	const isSecond = isAsLong || rest.includes('\t');
	return groups.length > 1 && isSecond && hasPossibleLength(country, groups.join(''));
}
