import { InvalidInputError } from '../errors/errorClasses';
import { cleanText, quote, readPlainText } from './text';

/** The most characters with which anybody writes a number. */
const MAX_WRITTEN_LENGTH = 60;
/** The same with invisible characters, of which a number may have some. */
const MAX_ENTERED_LENGTH = 1000;

/** Large numbers as spreadsheets show them. All digits are there in 1.2025550143E10. */
export const SCIENTIFIC = /^(\d)[.,]?(\d*)E\+?(\d+)$/i;

export const FORMAT_AS_TEXT =
	'Format the column as text, and enter the numbers again, as digits alone.';
export const ENTER_INTERNATIONAL =
	'Enter the number as it is dialed from abroad, with + in front, e.g. +44 20 7946 0018 instead of 020 7946 0018.';
const ENTER_ONE_NUMBER =
	'Enter one number with its country code: digits, with + ( ) - . / or spaces between them, e.g. +1 202 555 0143.';

export const NOT_A_NUMBER = 'is not a phone number';

export function refuse(text: string, reason: string, advice = ENTER_ONE_NUMBER): never {
	const where = reason === NOT_A_NUMBER ? '' : " in 'Number'";
	throw new InvalidInputError(`${quote(text)}${where} ${reason}`, advice);
}

/** Returns the value as text, without the invisible characters that come with numbers copied from a list of contacts. */
export function readNumberText(value: unknown): string {
	if (String(value).length > MAX_ENTERED_LENGTH) refuse(String(value), NOT_A_NUMBER);
	const text = readPlainText(value, 'Number', 'one number');
	if (Number.isInteger(value) && !Number.isSafeInteger(value))
		refuse(text, 'has too many digits for a number: its last ones may be wrong', FORMAT_AS_TEXT);
	const short = cleanText(text);
	if (short.length > MAX_WRITTEN_LENGTH) refuse(text, NOT_A_NUMBER);
	return short;
}

/** Returns a number in ASCII, without the characters that spreadsheets, links and messengers put around it, or a second + or 00 in front. */
export function toPlainNumber(text: string): string {
	return (
		text
			.replace(/[\uff01-\uff5e]/g, (fullWidth) => fullWidth.normalize('NFKC'))
			.replace(/(?!\d)\p{Nd}/gu, toAsciiDigit)
			// Of several dots, digits may be missing.
			.replace(/(?<![.,…\s])[.,]$/, '')
			.replace(/^=?["'`„<[\p{Pi}\p{Pf}]{1,9}|["'`>\]\p{Pi}\p{Pf};]{1,9}$/gu, '')
			.replace(/^(?:(?:tel|whatsapp|p):|(?:https?:\/\/)?wa\.me\/)?(?:\+\s?(?=\+|00))?/i, '')
			.replace(/(?:[._]\d+)?(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i, '')
			.replace(SCIENTIFIC, (all, first: string, rest: string, exponent) =>
				rest.length === Number(exponent) ? first + rest : all,
			)
			.trim()
	);
}

/** Returns the ASCII digit for one of any script. The ten digits of a script are consecutive and begin with its 0. */
function toAsciiDigit(digit: string): string {
	const code = digit.codePointAt(0)!;
	let zero = code;
	while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
	return String((code - zero) % 10);
}
