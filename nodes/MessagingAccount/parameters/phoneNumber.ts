import { InvalidInputError } from '../errors/invalidInputError';

/**
 * Reads a phone number as the service expects it, as digits only: docs/api.md, "Send image".
 * A line break, comma or slash is refused: it separates two numbers, which must not become one.
 *
 * @throws InvalidInputError
 */
export function readPhoneNumber(value: unknown): string {
	const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
	const digits =
		typeof value === 'string' || isWhole
			? String(value)
					.trim()
					.replace(/[+().\p{Zs}-]/gu, '')
			: undefined;
	if (digits === '') {
		throw new InvalidInputError("'Number' is empty", "Enter the recipient's number.");
	}
	if (digits === undefined || !/^[0-9]+$/.test(digits)) {
		throw new InvalidInputError(
			"'Number' is not a phone number",
			'Enter one number with its country code: digits, with + ( ) - . or spaces between them, e.g. +1 202 555 0143.',
		);
	}
	return digits;
}
