import { InvalidInputError } from '../errors/errorClasses';

/**
 * Reads a parameter that is a text, a number or another plain value. As text, a list would become its only entry.
 *
 * @param label as n8n shows it
 * @param content what to select instead, e.g. "the text"
 * @returns it as text; empty if there is none
 * @throws InvalidInputError if it is a list or an object
 */
export function readPlainText(value: unknown, label: string, content: string): string {
	if (typeof value !== 'object' || value === null) return String(value ?? '');
	throw new InvalidInputError(
		`'${label}' is a list or an object`,
		`Select the field that holds ${content}.`,
	);
}

/** More of a value is not shown. */
const MAX_QUOTED_LENGTH = 60;

/** Returns a value that was entered, for a message that says what is wrong with it: on one line, and not too long. */
export function quote(value: string): string {
	const text = value.replace(/\p{Cc}+/gu, ' ');
	return `'${text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text}'`;
}
