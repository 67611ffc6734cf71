import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';

/**
 * Reads a number. The range and the default are in the property of the parameter. Numbers may be text, which expressions can return, but
 * not everything that JavaScript converts, e.g. an empty list.
 *
 * @param properties those of the parameter and perhaps of others
 * @param read returns the value of a parameter, or the fallback if it is not set
 * @param advice what to do about any other value
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
