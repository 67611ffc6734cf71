import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { InvalidInput } from './service/errors';

/**
 * A parameter that is shown for one choice only.
 *
 * @param name of the parameter with the choices, e.g. "operation"
 */
export function shownForChoice(
	name: string,
	choice: string,
	parameter: INodeProperties,
): INodeProperties {
	const show = { [name]: [choice], ...parameter.displayOptions?.show };
	return { ...parameter, displayOptions: { ...parameter.displayOptions, show } };
}

/** The collection "Options", in the order of their names, as n8n wants it. */
export function optionsOf(options: INodeProperties[]): INodeProperties {
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add Option',
		default: {},
		options: [...options].sort((a, b) => a.displayName.localeCompare(b.displayName)),
	};
}

/** An expression for what is under the node on the canvas: the name of what was chosen. */
export function subtitleOf(name: string, choices: INodePropertyOptions[]): string {
	const names = Object.fromEntries(choices.map((choice) => [choice.value, choice.name]));
	return `={{ (${JSON.stringify(names)})[$parameter["${name}"]] }}`;
}

/** An expression may give a number as text; what else JavaScript would make a number of, e.g. an empty list, is none. */
export function toNumber(value: unknown): number {
	return typeof value === 'number' || (typeof value === 'string' && value.trim())
		? Number(value)
		: NaN;
}

/**
 * Reads a parameter that is a whole number.
 *
 * @param label as n8n shows it
 * @param from the least that it may be
 * @param to the most
 * @param advice what to do where it is something else
 * @throws InvalidInput naming the parameter
 */
export function readWholeNumber(
	value: unknown,
	label: string,
	[from, to]: [from: number, to: number],
	advice: string,
): number {
	const number = toNumber(value);
	if (!Number.isInteger(number) || number < from || number > to) {
		throw new InvalidInput(`'${label}' is not a whole number from ${from} to ${to}`, advice);
	}
	return number;
}

/**
 * A phone number as the service wants it: digits only (section 2.2 of its document).
 * A line break, a comma or a slash inside is refused: it parts two numbers, which must not become one.
 *
 * @throws InvalidInput
 */
export function readNumber(value: unknown): string {
	const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
	const digits =
		typeof value === 'string' || isWhole
			? String(value)
					.trim()
					.replace(/[+().\p{Zs}-]/gu, '')
			: undefined;
	if (digits === '') {
		throw new InvalidInput("'Number' is empty", 'Enter the number of the recipient.');
	}
	if (digits === undefined || !/^[0-9]+$/.test(digits)) {
		throw new InvalidInput(
			"'Number' is not a phone number",
			'Enter one number with its country code: digits, and + ( ) - . or spaces between them, e.g. +1 202 555 0143.',
		);
	}
	return digits;
}
