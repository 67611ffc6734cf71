import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';

/**
 * Reads a parameter that is a number. Its property has the range and the default. Accepts numbers as text, which expressions may
 * return, but not everything that JavaScript converts, e.g. an empty list.
 *
 * @param properties the parameter's own and perhaps others
 * @param read returns the value of a parameter, or the fallback if it is not set
 * @param advice what to do if it is anything else
 * @throws InvalidInputError naming the parameter
 */
export function readNumber(
	properties: INodeProperties[],
	name: string,
	read: (name: string, fallback: unknown) => unknown,
	advice: string,
	isWhole = false,
): number {
	const property = properties.find((one) => one.name === name)!;
	const { minValue: min, maxValue: max } = property.typeOptions as Record<string, number>;
	const value = read(name, property.default);
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = typeof value === 'number' || isText ? Number(value) : NaN;
	if (number >= min && number <= max && (!isWhole || Number.isInteger(number))) return number;
	const range = `${isWhole ? 'whole number' : 'number'} from ${min} to ${max}`;
	throw new InvalidInputError(`'${property.displayName}' is not a ${range}`, advice);
}
