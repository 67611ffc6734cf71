import { InvalidInputError } from '../errors/errorClasses';
import {
	type CountryCode,
	describeLengths,
	findCountryCode,
	hasPossibleLength,
	listLengths,
	listPrefixes,
} from './countryCodes';
import { cleanText, quote, readPlainText } from './text';

/** The most characters with which anybody writes a number. */
const MAX_WRITTEN_LENGTH = 60;
/** The same with invisible characters, of which a number may have some. */
const MAX_ENTERED_LENGTH = 1000;

const MIN_DIGITS = 5;
/** The most digits of an ID: those of groups, which are digits alone, are longer than phone numbers. */
const MAX_DIGITS = 20;

/** A character that no number has. Copied numbers may have any kind of space, hyphen, dash or minus. */
const UNKNOWN_CHARACTER = /[^\d+().,/_~\t\p{Zs}\-\u2010-\u2015\u2212]/u;

const INTERNATIONAL_PREFIX = /^[(\p{Zs}]*(?:\+|00)/u;

/** Large numbers as spreadsheets show them. All digits are there in 1.2025550143E10. */
const AMOUNT = /^\d{1,3}(?:([.,'’٬])\d{3})(?:\1\d{3})+([.,]\d+)?$|^\d{1,2}(,\d\d)+,\d{3}$/;
const SCIENTIFIC = /^(\d)[.,]?(\d*)E\+?(\d+)$/i;

const DATE = /^(?:\d{4}\D{1,2}\d{1,2}\D{1,2}\d{1,2}|\d{1,2}\D{1,2}\d{1,2}\D{1,2}(?:19|20)\d\d)$/;
const EXTENSION = /\d\D+\d+\D*\(\d{1,4}\)\D*$/;
/** Nobody writes one number as two groups of seven or more digits: seven digits are a number within a city. */
const TWO_NUMBERS = /\d{7}\D.*\d{7}/;
/** A number behind an area code, as written within countries where these have two digits; in Chile and Singapore, a whole number. */
const LOCAL = /^(?!56|65)\d\d\D+(?:9\D*)?\d{4}\D+\d{4}$/;
const DIGITS_ALONE = /^(?!00)\d+$/;

const TAKE_OTHER_FIELD =
	'Take the field with the phone number of the sender, e.g. senderPn, participantPn, remoteJidAlt, participant or author.';
const FORMAT_AS_TEXT = 'Format the column as text, and enter the numbers again, as digits alone.';
const LEAVE_OUT_DOTS =
	'Write it without dots and commas, e.g. +1 202 555 0143. In a spreadsheet, format the column as text first.';
const CHECK_END =
	'If the last digits belong to the number, write them without / ~ or ( ). Otherwise, leave them out.';
const ENTER_ONE_NUMBER =
	'Enter one number with its country code: digits, with + ( ) - . / or spaces between them, e.g. +1 202 555 0143.';
const ENTER_INTERNATIONAL =
	'Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.';

const NOT_A_NUMBER = 'is not a phone number';
const IS_AMOUNT = 'is written like an amount, with separators between thousands';

/** @param plain as `toPlainNumber` returns it @param withoutPrefix the same without + or 00 in front */
type Fits = (plain: string, withoutPrefix: string) => boolean;

/** An ID that messengers use besides phone numbers, e.g. `182734918273491@lid`. */
const isIdOf = (kind: string): Fits => {
	const end = new RegExp(`@(?:hosted\\.)?${kind}(?:\\.whatsapp\\.net)?$`, 'i');
	return (plain) => end.test(plain);
};

/**
 * What is refused, whatever its country code, and why. The first row that fits is told: what is surely something else, then what might be, then
 * numbers without a country code. A row relies on those above it: below that of `UNKNOWN_CHARACTER`, a text has only digits and separators,
 * and below that of the comma no commas.
 */
const REFUSED: Array<[fits: Fits, reason: string, advice?: string]> = [
	[isIdOf('lid'), 'is an ID that hides a phone number', TAKE_OTHER_FIELD],
	[isIdOf('g\\.us'), 'is the ID of a group', TAKE_OTHER_FIELD],
	[isIdOf('newsletter'), 'is the ID of a channel', TAKE_OTHER_FIELD],
	[isIdOf('broadcast'), 'is the ID of a broadcast list', TAKE_OTHER_FIELD],
	[isIdOf('bot'), 'is the ID of a bot', TAKE_OTHER_FIELD],
	[(plain) => SCIENTIFIC.test(plain), 'has lost its last digits', FORMAT_AS_TEXT],
	// With dots alone, it may be a number behind its country code, as 44.207.946.001 is.
	[(plain) => AMOUNT.test(plain) && /[^\d.]/.test(plain), IS_AMOUNT, FORMAT_AS_TEXT],
	// With a minus in front, it would be a negative number.
	[(plain) => UNKNOWN_CHARACTER.test(plain) || !/^[\d+(]/.test(plain), NOT_A_NUMBER],
	[
		(plain) => hasDecimalPart(plain) && !AMOUNT.test(plain),
		'could be a decimal number',
		LEAVE_OUT_DOTS,
	],
	[(plain) => plain.includes(','), NOT_A_NUMBER],
	[(plain) => plain.lastIndexOf('+') > plain.search(/[\d+]/), 'has a + that is not in front'],
	[(plain) => DATE.test(plain), 'looks like a date'],
	[
		(_plain, withoutPrefix) =>
			EXTENSION.test(withoutPrefix) || hasShortEnd(withoutPrefix) || hasSecondEnd(withoutPrefix),
		'may end with an extension or a second number',
		CHECK_END,
	],
	[(_plain, withoutPrefix) => TWO_NUMBERS.test(withoutPrefix), 'looks like two numbers'],
	[(plain) => /^0(?!0)\d*$/.test(plain), 'has no country code', ENTER_INTERNATIONAL],
	[
		(plain) => DIGITS_ALONE.test(plain) && plain.length < MIN_DIGITS,
		`has fewer than ${MIN_DIGITS} digits`,
	],
	[
		(plain) => DIGITS_ALONE.test(plain) && plain.length > MAX_DIGITS,
		`has more than ${MAX_DIGITS} digits`,
	],
];

/**
 * Returns a phone number in digits, as the service expects it: docs/api.md, "Send image". Digits alone are returned as entered. All other
 * spellings must be possible with their country code, and lose a leading 00 and digits that are dialed only within the country, as in +44
 * (0)20. Anything that could mean another number is refused, because the image would go to a stranger. @throws InvalidInputError
 */
export function readPhoneNumber(value: unknown): string {
	const text = readText(value);
	const plain = toPlainNumber(text);
	if (!UNKNOWN_CHARACTER.test(plain) && !/\d/.test(plain))
		throw new InvalidInputError("'Number' is empty", 'The cell may be empty: enter the number.');
	const withoutPrefix = plain.replace(INTERNATIONAL_PREFIX, '');
	const [, reason, advice] = REFUSED.find(([fits]) => fits(plain, withoutPrefix)) ?? [];
	if (reason) refuse(text, reason, advice);
	return DIGITS_ALONE.test(plain) ? plain : readInternational(text, plain, withoutPrefix);
}

function refuse(text: string, reason: string, advice = ENTER_ONE_NUMBER): never {
	const where = reason === NOT_A_NUMBER ? '' : " in 'Number'";
	throw new InvalidInputError(`${quote(text)}${where} ${reason}`, advice);
}

/** Returns the value as text, without the invisible characters that come with numbers copied from a list of contacts. */
function readText(value: unknown): string {
	if (String(value).length > MAX_ENTERED_LENGTH) refuse(String(value), NOT_A_NUMBER);
	const text = readPlainText(value, 'Number', 'one number');
	if (Number.isInteger(value) && !Number.isSafeInteger(value))
		refuse(text, 'has too many digits for a number: its last ones may be wrong', FORMAT_AS_TEXT);
	const short = cleanText(text);
	if (short.length > MAX_WRITTEN_LENGTH) refuse(text, NOT_A_NUMBER);
	return short;
}

/** Returns a number in ASCII, without the characters that spreadsheets, links and messengers put around it. */
function toPlainNumber(text: string): string {
	return text
		.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
		.replace(/(?!\d)\p{Nd}/gu, toAsciiDigit)
		.replace(/^=?["'`„<[\p{Pi}\p{Pf}]+|["'`>\]\p{Pi}\p{Pf};.,]+$/gu, '')
		.replace(/^(?:(?:tel|whatsapp):|(?:https:\/\/)?wa\.me\/)/i, '')
		.replace(/(?:[._]\d+)?(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i, '')
		.replace(SCIENTIFIC, (all, first: string, rest: string, exponent) =>
			rest.length === Number(exponent) ? first + rest : all,
		)
		.trim();
}

/** Returns the ASCII digit for one of any script. The ten digits of a script are consecutive and begin with its 0. */
function toAsciiDigit(digit: string): string {
	const code = digit.codePointAt(0)!;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
	return String((code - zero) % 10);
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
	const isInternational = INTERNATIONAL_PREFIX.test(plain) && !plain.includes(',');
	return (isInternational ? INTERNATIONAL_DECIMAL : DECIMAL).some((one) => one.test(plain));
}

/** Whether the end only hints at a second number: +49 30 12345/6 is not 123456. Slashes between all groups are separators. */
function hasShortEnd(withoutPrefix: string): boolean {
	const [, end] = /[/~]([^/~]*)$/.exec(withoutPrefix) ?? [];
	return end !== undefined && end.replace(/\D/g, '').length < 4 && /[^\d/~]/.test(withoutPrefix);
}

/** Whether there is a whole number in front of a / ~ or tab: +49 7031 4567 / 4568. One group alone may be the area code. */
function hasSecondEnd(withoutPrefix: string): boolean {
	const [, front, end] = /^([^/~\t]+)[/~\t]([^/~\t]*)$/.exec(withoutPrefix) ?? [];
	const country = front && findCountryCode(front.replace(/\D/g, ''));
	if (!country) return false;
	const groups = skipDigits(front, country.code.length).replace(/\(0\)/, '').match(/\d+/g) ?? [];
	// It has as many digits as what it replaces. A tab divides two cells.
	const isAsLong = groups.at(-1)?.length === end.replace(/\D/g, '').length;
	const isSecond = isAsLong || withoutPrefix.includes('\t');
	return groups.length > 1 && isSecond && hasPossibleLength(country, groups.join(''));
}

/** Reads a number whose country code can be recognized: it has + or 00 in front, or separators. @throws InvalidInputError */
function readInternational(text: string, plain: string, withoutPrefix: string): string {
	const digits = withoutPrefix.replace(/\D/g, '');
	const country = findCountryCode(digits);
	if (!country) refuse(text, 'has no country code', ENTER_INTERNATIONAL);
	const { code } = country;
	if (!standsApart(code, plain, withoutPrefix)) {
		if (AMOUNT.test(plain)) refuse(text, IS_AMOUNT, FORMAT_AS_TEXT);
		refuse(text, 'may have no country code', ENTER_INTERNATIONAL);
	}
	const behindCode = skipDigits(withoutPrefix, code.length);
	const isPossible = hasPossibleLength(country, digits.slice(code.length));
	const national = isPossible ? behindCode : leaveOutTrunkPrefix(text, country, behindCode);
	if (/\(\p{Zs}*0\p{Zs}*\)/u.test(national))
		refuse(text, 'has a 0 in parentheses that may not be part of it', ENTER_INTERNATIONAL);
	return code + national.replace(/\D/g, '');
}

/**
 * Whether the first digits must be the country code. Otherwise, they may be an area code.
 *
 * | number | code | it stands apart |
 * | --- | --- | --- |
 * | +8 (495) 123-45-67, +8 495 123 45 67 | 84, Vietnam | no: something splits it |
 * | +38 (067) 123 45 67 | 380 | yes: so people write +380 67 |
 * | +61 234 56 78 | 61 | yes: + or 00 is in front |
 * | 61 2 3456 7890 | 61 | yes: a group of its own, with more than seven digits behind it |
 * | 612 34 56 78, a number in Spain | 61, Australia | no |
 * | 51 98765-4321, a number in Brazil | 51, Peru | no: so people write numbers within Brazil, Mexico and India |
 */
function standsApart(code: string, plain: string, withoutPrefix: string): boolean {
	const behindCode = skipDigits(withoutPrefix, code.length);
	const upToCode = withoutPrefix.slice(0, withoutPrefix.length - behindCode.length);
	if (/\d\D*\(\D*[1-9]|^\D*\d\D+[1-9]/.test(upToCode)) return false;
	if (withoutPrefix !== plain) return true;
	if (LOCAL.test(plain)) return false;
	return withoutPrefix.match(/^\d*/)![0] === code && behindCode.replace(/\D/g, '').length > 7;
}

function skipDigits(number: string, count: number): string {
	return number.replace(new RegExp(`^(?:\\D*\\d){${count}}`), '');
}

/** Leaves out what is not dialed from abroad, if it is in parentheses. @throws InvalidInputError, with the correct number if it is not */
function leaveOutTrunkPrefix(text: string, country: CountryCode, behindCode: string): string {
	const national = behindCode.replace(/\D/g, '');
	const prefix = listPrefixes(country, national).find((one) =>
		hasPossibleLength(country, national.slice(one.length)),
	);
	if (!prefix) refuseLength(text, country, national);
	const rest = skipDigits(behindCode, prefix.length);
	const isInParentheses = /^[^\d(]*\(/.test(behindCode);
	if (isInParentheses) return rest;
	const isTrunk = country.trunk.includes(prefix);
	const reason = isTrunk ? 'is only dialed within the country' : 'is not part of the number';
	throw new InvalidInputError(
		`In ${quote(text).slice(1, -1)}, the ${prefix} ${reason}`,
		`Enter +${country.code} ${rest.match(/\d+/g)!.join(' ')}.`,
	);
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
