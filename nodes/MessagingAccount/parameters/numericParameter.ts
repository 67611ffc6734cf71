import { InvalidInputError } from '../errors/errorClasses';

/**
 * Reads a parameter that is a number. Accepts numbers as text, which expressions may return, but not everything that JavaScript
 * converts, e.g. an empty list.
 *
 * @param label as n8n shows it
 * @param advice what to do if it is anything else
 * @throws InvalidInputError naming the parameter
 */
export function readNumber(
	value: unknown,
	label: string,
	[min, max]: [min: number, max: number],
	advice: string,
	isWhole = false,
): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : NaN;
	if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
	const kind = isWhole ? 'whole number' : 'number';
	throw new InvalidInputError(`'${label}' is not a ${kind} from ${min} to ${max}`, advice);
}
