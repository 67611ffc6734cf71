import { InvalidInputError } from '../errors/errorClasses';
import { COUNTRY_CODES, type CountryCode, listLengths } from './countryCodes';
import { cleanText, quote, readPlainText } from './text';

const MIN_DIGITS = 5;

/** The most characters with which anybody writes a number. */
const MAX_LENGTH = 60;
/** The same with invisible characters, of which a number may have some. */
const MAX_ENTERED_LENGTH = 1000;

/** The most digits of an ID: those of groups, which are digits alone, are longer than phone numbers. */
const MAX_DIGITS = 20;

/** A character that no number has. Copied numbers may have any kind of space, hyphen, dash or minus. */
const UNKNOWN_CHARACTER = /[^\d+().,/_~\t\p{Zs}\-\u2010-\u2015\u2212]/u;

const INTERNATIONAL_PREFIX = /^[(\p{Zs}]*(?:\+|00)/u;

const DATE = /^(?:\d{4}\D{1,2}\d{1,2}\D{1,2}\d{1,2}|\d{1,2}\D{1,2}\d{1,2}\D{1,2}(?:19|20)\d\d)$/;

const EXTENSION = /\d\D+\d+\D*\(\d{1,4}\)\D*$/;

/** IDs that messengers use besides phone numbers. */
const OTHER_ID = /@(?:hosted\.)?(lid|g\.us|newsletter|broadcast|bot)(?:\.whatsapp\.net)?$/i;
const OTHER_IDS: Record<string, string> = {
	lid: 'an ID that hides a phone number',
	'g.us': 'the ID of a group',
	newsletter: 'the ID of a channel',
	broadcast: 'the ID of a broadcast list',
	bot: 'the ID of a bot',
};
const TAKE_OTHER_FIELD =
	'Take the field with the phone number of the sender, e.g. senderPn, participantPn, remoteJidAlt, participant or author.';

/** Large numbers as spreadsheets show them. All digits are there in 1.2025550143E10. */
const AMOUNT = /^\d{1,3}(?:([.,'’٬])\d{3})(?:\1\d{3})+([.,]\d+)?$|^\d{1,2}(,\d\d)+,\d{3}$/;
const SCIENTIFIC = /^(\d)[.,]?(\d*)E\+?(\d+)$/i;
const FORMAT_AS_TEXT = 'Format the column as text, and enter the numbers again, as digits alone.';

const LEAVE_OUT_DOTS =
	'Write it without dots and commas, e.g. +1 202 555 0143. In a spreadsheet, format the column as text first.';
const CHECK_END =
	'If the last digits belong to the number, write them without / ~ or ( ). Otherwise, leave them out.';
const ENTER_ONE_NUMBER =
	'Enter one number with its country code: digits, with + ( ) - . / or spaces between them, e.g. +1 202 555 0143.';

const ENTER_INTERNATIONAL =
	'Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.';

/**
 * Returns a phone number in digits, as the service expects it: docs/api.md, "Send image". Digits alone are returned as entered. All other
 * spellings must be possible with their country code, and lose a leading 00 and digits that are dialed only within the country, as in +44
 * (0)20. Anything that could mean another number is refused, because the image would go to a stranger. @throws InvalidInputError
 */
export function readPhoneNumber(value: unknown): string {
	const text = readText(value);
	const plain = toPlainNumber(text);
	const [, end] = OTHER_ID.exec(plain) ?? [];
	if (end) refuse(text, `is ${OTHER_IDS[end.toLowerCase()]}`, TAKE_OTHER_FIELD);
	const isKnown = !UNKNOWN_CHARACTER.test(plain);
	if (isKnown && !/\d/.test(plain))
		throw new InvalidInputError("'Number' is empty", 'The cell may be empty: enter the number.');
	// With a minus in front, it would be a negative number.
	if (!isKnown || !/^[\d+(]/.test(plain)) refuseUnclear(text, plain, NOT_A_NUMBER);
	if (hasDecimalPart(plain) && !AMOUNT.test(plain))
		refuse(text, 'could be a decimal number', LEAVE_OUT_DOTS);
	if (plain.includes(',')) refuseUnclear(text, plain, NOT_A_NUMBER);
	if (plain.lastIndexOf('+') > plain.search(/[\d+]/)) refuse(text, 'has a + that is not in front');
	if (DATE.test(plain)) refuse(text, 'looks like a date');
	const number = plain.replace(INTERNATIONAL_PREFIX, '');
	if (EXTENSION.test(number) || hasShortEnd(number))
		refuse(text, 'may end with an extension or a second number', CHECK_END);
	// Nobody writes one number as two groups of seven or more digits: seven digits are a number within a city.
	if (/\d{7}\D.*\d{7}/.test(number)) refuse(text, 'looks like two numbers');
	if (!/^(?!00)\d+$/.test(plain)) return readInternational(text, plain, number);

	if (plain.startsWith('0')) refuse(text, 'has no country code', ENTER_INTERNATIONAL);
	if (plain.length < MIN_DIGITS) refuse(text, `has fewer than ${MIN_DIGITS} digits`);
	if (plain.length > MAX_DIGITS) refuse(text, `has more than ${MAX_DIGITS} digits`);
	return plain;
}

const NOT_A_NUMBER = 'is not a phone number';

function refuse(text: string, reason: string, advice = ENTER_ONE_NUMBER): never {
	const where = reason === NOT_A_NUMBER ? '' : " in 'Number'";
	throw new InvalidInputError(`${quote(text)}${where} ${reason}`, advice);
}

function refuseUnclear(text: string, plain: string, reason: string, advice?: string): never {
	if (SCIENTIFIC.test(plain)) refuse(text, 'has lost its last digits', FORMAT_AS_TEXT);
	if (!AMOUNT.test(plain)) refuse(text, reason, advice);
	refuse(text, 'is written like an amount, with separators between thousands', FORMAT_AS_TEXT);
}

/** Returns the value as text, without the invisible characters that come with numbers copied from a list of contacts. */
function readText(value: unknown): string {
	if (String(value).length > MAX_ENTERED_LENGTH) refuse(String(value), NOT_A_NUMBER);
	const text = readPlainText(value, 'Number', 'one number');
	if (Number.isInteger(value) && !Number.isSafeInteger(value))
		refuse(text, 'has too many digits for a number: its last ones may be wrong', FORMAT_AS_TEXT);
	const short = cleanText(text);
	if (short.length > MAX_LENGTH) refuse(text, NOT_A_NUMBER);
	return short;
}

/** Returns a number in ASCII, without the characters that spreadsheets, links and messengers put around it. */
function toPlainNumber(text: string): string {
	return text
		.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
		.replace(/(?!\d)\p{Nd}/gu, toAsciiDigit)
		.replace(/^["']|["']$/g, '')
		.replace(/^(?:tel|whatsapp):/i, '')
		.replace(/(?:\.\d+)?(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i, '')
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

/**
 * Whether a number may have a decimal point or comma, not dots between groups of digits: at least four digits follow the only dot of a
 * number, or two the last of several. Fewer may follow with + or 00 in front, but no 0 alone, and not after a long group, as in +49
 * 1711234567.0. Digits with one dot alone are a decimal number, unless they begin with a country code: +1.2025550143.
 */
function hasDecimalPart(text: string): boolean {
	const end =
		INTERNATIONAL_PREFIX.test(text) && !text.includes(',')
			? /^[^.]*\.(?:[^\d.]*0){1,3}[^\d.]*$|\d{4}(?:\d[^\d.]*\.(?:[^\d.]*\d){1,3}|[^\d.]*\.[^\d.]*\d)[^\d.]*$/
			: /^[^.,]*[.,]\D*(?:\d\D*){1,3}$|\.[^\d.]*\d\D*$/;
	return end.test(text) || (/^\+?\d+\.\d+$/.test(text) && !/^(?:\+|00)\d{1,3}\./.test(text));
}

/** Whether the end only hints at a second number: +49 30 12345/6 is not 123456. Slashes between all groups are separators. */
function hasShortEnd(number: string): boolean {
	const [, end] = /[/~]([^/~]*)$/.exec(number) ?? [];
	return end !== undefined && end.replace(/\D/g, '').length < 4 && /[^\d/~]/.test(number);
}

/** Reads a number whose country code can be recognized: it has + or 00 in front, or separators. @throws InvalidInputError */
function readInternational(text: string, plain: string, number: string): string {
	const digits = number.replace(/\D/g, '');
	const code = [1, 2, 3].map((n) => digits.slice(0, n)).find((start) => COUNTRY_CODES[start]);
	if (!code) refuse(text, 'has no country code', ENTER_INTERNATIONAL);
	const country = COUNTRY_CODES[code]!;
	const national = digits.slice(code.length);
	let behindCode = skipDigits(number, code.length);
	// +38 (067) is how people write +380 67, while +8 (495) is not Vietnam's +84 95.
	const isSplit = /\d[^\d(]*\(\D*[1-9]/.test(number.slice(0, number.length - behindCode.length));
	// Otherwise it may be an area code: 612 34 56 78 is a number in Spain, not in Australia (61), and 691 234 5678 one in Greece.
	const standsApart =
		number !== plain || (number.match(/^\d*/)![0] === code && national.length > 7);
	if (isSplit || !standsApart)
		refuseUnclear(text, plain, 'may have no country code', ENTER_INTERNATIONAL);
	if (!hasPossibleLength(country, national)) {
		const trunk = listPrefixes(country, national).find((prefix) =>
			hasPossibleLength(country, national.slice(prefix.length)),
		);
		if (!trunk) refuseLength(text, code, national);
		const rest = skipDigits(behindCode, trunk.length);
		if (!/^[^\d(]*\(/.test(behindCode)) {
			const reason = country.trunk.includes(trunk)
				? 'is only dialed within the country'
				: 'is not part of the number';
			throw new InvalidInputError(
				`In ${quote(text).slice(1, -1)}, the ${trunk} ${reason}`,
				`Enter +${code} ${rest.match(/\d+/g)!.join(' ')}.`,
			);
		}
		behindCode = rest;
	}
	if (/\(\p{Zs}*0\p{Zs}*\)/u.test(behindCode))
		refuse(text, 'has a 0 in parentheses that may not be part of it', ENTER_INTERNATIONAL);
	return code + behindCode.replace(/\D/g, '');
}

function skipDigits(number: string, count: number): string {
	return number.replace(new RegExp(`^(?:\\D*\\d){${count}}`), '');
}

/** Returns the prefixes that may have to be left out of a national number, the longest first. */
function listPrefixes({ trunk }: CountryCode, national: string): string[] {
	return [...trunk, '0'].filter((prefix) => national.startsWith(prefix));
}

function hasPossibleLength(country: CountryCode, national: string): boolean {
	const [prefix] = listPrefixes(country, national);
	const lengths = (prefix ? country.begin[prefix] : country.lengths) ?? '';
	return listLengths(lengths).includes(national.length);
}

function refuseLength(text: string, code: string, national: string): never {
	const [, area, local] = (code === '54' && /^9?0?([1-9]\d{1,3})15(\d{6,8})$/.exec(national)) || [];
	if (area && area.length + local.length === 10) {
		const advice = `Enter +54 9 ${area} ${local}.`;
		refuse(text, 'has a 15 that is only dialed within the country', advice);
	}
	const { lengths } = COUNTRY_CODES[code]!;
	const possible = lengths.replace(/,([^,]*)$/, ' or $1').replaceAll(',', ', ');
	const reason = listLengths(lengths).includes(national.length)
		? `cannot be right: no number of this length begins with +${code} ${national[0]}`
		: `has ${national.length} instead of ${possible.replaceAll('-', ' to ')} digits after +${code}`;
	refuse(text, reason, 'Enter one number, as it is dialed from abroad and without an extension.');
}
