import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { cleanText, quote } from './text';

/** Returns the value of an option, or the fallback if it is not set. */
export type ReadOption = (name: string, fallback: unknown) => unknown;

/** Reads an option that names something; empty if there is none. @param named what to enter the name of @throws InvalidInputError */
export function readName(value: unknown, label: string, named: string): string {
	const text = value ?? '';
	const enter = `Enter the name of ${named}`;
	if (typeof text !== 'string')
		throw new InvalidInputError(`'${label}' is not text`, `${enter}, or remove the option.`);
	if (!text.includes('{{')) return cleanText(text);
	throw new InvalidInputError(`'${label}' contains {{`, `${enter}, not an expression.`);
}

/** The same for several names, separated by commas. @example readNames('id, from', 'Output Fields', 'the fields') // ['id', 'from'] */
export function readNames(value: unknown, label: string, named: string): string[] {
	const names = readName(value, label, named).split(',');
	return names.map((name) => name.trim()).filter(Boolean);
}

/** Reads a number, whose range and default are in its property. It may be text, as expressions can return, but no list, even if it is empty. */
export function readNumber(
	properties: INodeProperties[],
	name: string,
	read: ReadOption,
	advice = 'Enter a number in this range, or remove the option.',
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

/** @example noSuchChoice('Image From', 'link', 'Input Data Field or URL') // 'link' is not a choice of 'Image From' */
export function noSuchChoice(label: string, value: unknown, choices: string): InvalidInputError {
	const advice = `Choose ${choices}.`;
	return new InvalidInputError(`${quote(String(value))} is not a choice of '${label}'`, advice);
}
