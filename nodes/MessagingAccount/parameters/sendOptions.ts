import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError, orInvalidInput } from '../errors/errorClasses';
import { readNumber } from './numericParameter';
import type { ReadParameter } from './parameterReader';
import { quote } from './plainValue';
import { isEmpty, SWITCH_TO_EXPRESSION } from './sentText';

/** An hour. For longer delays there is n8n's Wait node. */
const MAX_DELAY_MS = 3_600_000;

/** Options of every operation that sends. */
export const sendOptions: INodeProperties[] = [
	{
		displayName: 'Concurrent Sends',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 50 },
		default: 1,
		description:
			'How many images to send at the same time. Images to the same number always go one after another.',
	},
	{
		displayName: 'Delay Between Sends (Ms)',
		name: 'delayBetweenSends',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_DELAY_MS },
		default: 0,
		description:
			'How long to wait from the start of one send to the next. A second has 1000 milliseconds.',
	},
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: false,
		description:
			'Whether to check everything and output what would be sent, without sending anything. Turn this off to send.',
	},
	{
		displayName: 'Include Input Fields',
		name: 'includeInputFields',
		type: 'boolean',
		default: false,
		description:
			'Whether to add the fields of the input item to the output item, e.g. the name of the recipient. A field of the response replaces an input field of the same name.',
	},
	{
		displayName: 'Pace per Account',
		name: 'pacePerAccount',
		type: 'boolean',
		default: false,
		description:
			'Whether the delay is kept between the sends of all workflows that use this account and this option. In queue mode, each worker counts its own.',
	},
	{
		displayName: 'Random Extra Delay (Ms)',
		name: 'randomExtraDelay',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_DELAY_MS },
		default: 0,
		description:
			'Up to this much is added at random to each delay, so that messages do not go out at a machine-like pace',
	},
	{
		displayName: 'Resend When Uncertain',
		name: 'resendUncertain',
		type: 'boolean',
		default: false,
		description:
			'Whether a retry resends images that may already have been sent, e.g. after a timeout. The recipient may then get an image twice.',
	},
	{
		displayName: 'Send Once per ID',
		name: 'sendOnceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.orderNumber }}',
		description:
			'An ID of this image that stays the same, e.g. an order number. The node sends at most one image per ID across all its executions. An expression must give an ID for every item. Leave empty to turn this off.',
	},
];

/** Apply to all sends of a run; expressions are evaluated for the first item. */
export type ThrottleOptions = ReturnType<typeof readThrottleOptions>;

/** @throws InvalidInputError naming the option */
export function readThrottleOptions(readParameter: ReadParameter) {
	const read = (name: string, fallback: unknown) => readParameter(`options.${name}`, 0, fallback);
	const countAdvice =
		'Enter a number in this range, or remove the option to send one image after another.';
	const delayAdvice = 'Enter a number in this range, e.g. 1000 for a second, or remove the option.';
	return {
		concurrency: readNumber(sendOptions, 'concurrency', read, countAdvice, true),
		/** ms between the starts of two sends. */
		delay: readNumber(sendOptions, 'delayBetweenSends', read, delayAdvice),
		isPerAccount: read('pacePerAccount', false) === true,
		/** ms; each delay is longer by a random time up to this. */
		randomExtraDelay: readNumber(sendOptions, 'randomExtraDelay', read, delayAdvice),
	};
}

/**
 * Whether nothing may be sent, as the first item says.
 *
 * @throws InvalidInputError if it is neither true nor false, or another item says otherwise: neither a text like "true" nor an
 * expression may send what was meant to be tried
 */
export function readDryRun(readParameter: ReadParameter, itemIndex: number): boolean {
	const value = readParameter('options.dryRun', itemIndex, false);
	if (typeof value !== 'boolean') {
		throw new InvalidInputError(
			"'Dry Run' is neither true nor false",
			'Turn it on or off, or enter an expression that gives true or false.',
		);
	}
	if (itemIndex > 0 && value !== readDryRun(readParameter, 0)) {
		throw new InvalidInputError(
			`'Dry Run' is ${value} for this item, but ${!value} for the first one`,
			'Enter an expression that gives the same for all items, or use two nodes.',
		);
	}
	return value;
}

export type SendOnceId = string | number;

/** Reads the options of one item. @throws InvalidInputError naming the option */
export function readSendOptions(readParameter: ReadParameter, itemIndex: number) {
	return {
		resendUncertain: readParameter('options.resendUncertain', itemIndex, false) === true,
		sendOnceId: readSendOnceId(readParameter, itemIndex),
	};
}

const SELECT_OR_REMOVE =
	'Select a field that holds an ID in every item, e.g. an order number, or remove the option.';

/**
 * Reads the ID of one item. A misspelled field must neither turn the check off, so that everybody would get the image again in the
 * next execution, nor give all items one ID, so that only the first one would get it.
 *
 * @returns as entered; undefined if the check is off
 * @throws InvalidInputError
 */
export function readSendOnceId(readParameter: ReadParameter, itemIndex: number) {
	const { value, parts } = orInvalidInput(
		() => readParameter.withParts('options.sendOnceId', itemIndex),
		({ message }) =>
			new InvalidInputError(
				"n8n cannot evaluate the expression in 'Send Once per ID'",
				`n8n says: “${message}”. ${SELECT_OR_REMOVE}`,
			),
	);
	// In a text, n8n leaves out NaN, too.
	const empty = parts.find((part) => isEmpty(part.value) || Number.isNaN(part.value));
	if (empty) {
		throw new InvalidInputError(
			`${quote(empty.expression)} in 'Send Once per ID' gives nothing for this item`,
			SELECT_OR_REMOVE,
		);
	}
	if (isEmpty(value)) return undefined;
	if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	if (typeof value === 'string') {
		const mistake = Object.keys(MISTAKES).find((text) => value.includes(text));
		if (mistake === undefined) return value;
		throw new InvalidInputError(
			`${quote(value)} in 'Send Once per ID' contains ${mistake}`,
			MISTAKES[mistake],
		);
	}
	throw new InvalidInputError(
		"'Send Once per ID' is neither text nor a number that JavaScript can represent exactly",
		'Select the field that holds the ID, e.g. an order number. Pass numbers of more than 15 digits as text.',
	);
}

/** What would be in the ID of every item, and what to do. */
const MISTAKES: Record<string, string> = {
	undefined: SELECT_OR_REMOVE,
	'[object Object]': SELECT_OR_REMOVE,
	'{{': SWITCH_TO_EXPRESSION,
};
