import { InvalidInputError } from '../errors/errorClasses';

/**
 * Reads a parameter that is a text, a number or another plain value. A list is refused: as text, it would become its only entry.
 *
 * @param label as n8n shows it
 * @param content what to select instead, e.g. "the text"
 * @returns the value as text; empty if there is none
 * @throws InvalidInputError if it is a list or an object
 */
export function readPlainText(value: unknown, label: string, content: string): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	const date = toDateText(value);
	if (date !== undefined) return date;
	throw new InvalidInputError(
		`'${label}' is a list or an object`,
		`Select the field that holds ${content}.`,
	);
}

/** Returns a JavaScript date, or one like n8n's `$now`, in ISO 8601; undefined for any other object. */
function toDateText(value: object): string | undefined {
	const { toISO } = value as { toISO?: unknown };
	if (typeof toISO === 'function') return String(toISO.call(value));
	const isDate = Object.prototype.toString.call(value) === '[object Date]';
	return isDate && !Number.isNaN(Number(value)) ? (value as Date).toISOString() : undefined;
}

/** Invisible characters that come with copying. Joiners belong between letters that are not Latin. */
const INVISIBLE =
	/(?!(?<=[^\0-\x7f])[\u200c\u200d](?=[^\0-\x7f]))\p{Cf}|\u034f|[\u0085\u2800\u3164]|\ufe0f$/gu;

/** Returns a short text without invisible characters, and without spaces around it. */
export function cleanText(text: string): string {
	return text.replace(INVISIBLE, '').trim();
}

/**
 * Reads an option that names something.
 *
 * @param named what to enter the name of
 * @returns it without spaces around it; empty if there is none
 * @throws InvalidInputError if it is not text
 */
export function readName(value: unknown, label: string, named: string): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' && value.includes('{{')) {
		throw new InvalidInputError(
			`'${label}' contains {{`,
			`Enter the name of ${named}, not an expression.`,
		);
	}
	if (typeof value === 'string') return cleanText(value);
	throw new InvalidInputError(
		`'${label}' is not text`,
		`Enter the name of ${named}, or remove the option.`,
	);
}

/** Reads an option that names several things, separated by commas. @throws InvalidInputError if it is not text */
export function readNames(value: unknown, label: string, named: string): string[] {
	const names = readName(value, label, named).split(',');
	return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Creates the error for a parameter whose value is none of its choices. @param choices e.g. "Link or Data URI" */
export function noSuchChoice(label: string, value: unknown, choices: string): InvalidInputError {
	return new InvalidInputError(
		`${quote(String(value))} is not a choice of '${label}'`,
		`Choose ${choices}.`,
	);
}

/** The most characters of a value that are shown. */
const MAX_QUOTED_LENGTH = 60;

/** Returns an entered value in quotes, for a message that says what is wrong with it: on one line, and shortened. */
export function quote(value: string): string {
	const text = value.replace(/\p{Cc}+/gu, ' ');
	return `'${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}'`;
}
