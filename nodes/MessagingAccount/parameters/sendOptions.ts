import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError, orInvalidInput } from '../errors/errorClasses';
import { readNumber } from './numericParameter';
import type { ReadParameter } from './parameterReader';
import { readPhoneNumber } from './phoneNumber';
import { quote } from './plainValue';
import { isEmpty, SWITCH_TO_EXPRESSION } from './sentText';

/** An hour: for longer delays, there is n8n's Wait node. */
const MAX_DELAY_MS = 3_600_000;

/** Options of every operation that sends. A default applies when an option is added: an absent option is off. */
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
		default: 5000,
		description:
			'How long to wait from the start of one send to the next. In milliseconds, e.g. 5000 for 5 seconds.',
	},
	{
		displayName: 'Dry Run',
		name: 'dryRun',
		type: 'boolean',
		default: true,
		description:
			'Whether to check every item and output what would be sent, without sending anything. Turn this off, or remove it, to send.',
	},
	{
		displayName: 'Include Input Fields',
		name: 'includeInputFields',
		type: 'boolean',
		default: true,
		description:
			'Whether to add the fields of the input item to the output item, e.g. the name of the recipient. A field of the response replaces an input field of the same name.',
	},
	{
		displayName: 'Pace per Account',
		name: 'pacePerAccount',
		type: 'boolean',
		default: true,
		description:
			'Whether the delay is kept between the sends of all workflows that use this account and this option. In queue mode, each worker counts its own.',
	},
	{
		displayName: 'Random Extra Delay (Ms)',
		name: 'randomExtraDelay',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_DELAY_MS },
		default: 5000,
		description:
			'Up to this much is added at random to each delay, so that messages are not sent at a machine-like pace',
	},
	{
		displayName: 'Resend When Uncertain',
		name: 'resendUncertain',
		type: 'boolean',
		default: true,
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
			'An ID of this image that stays the same, e.g. an order number, or the phone number for one image per person. The node sends at most one image per ID across all its executions. An expression must give an ID for every item. Leave empty to turn this off.',
	},
];

/** The options for all sends of a run, with expressions evaluated for the first item. */
export type ThrottleOptions = ReturnType<typeof readThrottleOptions>;

/** @throws InvalidInputError naming the option */
export function readThrottleOptions(readParameter: ReadParameter) {
	const read = (name: string, fallback: unknown) => readParameter(`options.${name}`, 0, fallback);
	const countAdvice =
		'Enter a number in this range, or remove the option to send one image after another.';
	const delayAdvice = 'Enter a number in this range, e.g. 1000 for a second, or remove the option.';
	const readDelay = (name: string) =>
		readNumber(sendOptions, name, (delay) => read(delay, 0), delayAdvice);
	return {
		concurrency: readNumber(sendOptions, 'concurrency', read, countAdvice, true),
		/** The ms between the starts of two sends. */
		delay: readDelay('delayBetweenSends'),
		isPerAccount: read('pacePerAccount', false) === true,
		/** The most ms that are added at random to each delay. */
		randomExtraDelay: readDelay('randomExtraDelay'),
	};
}

/**
 * Reads whether nothing may be sent: the same for all items. Neither a text like "true" nor an expression may send images that somebody
 * meant to try.
 *
 * @throws InvalidInputError if it is neither true nor false, or differs from the first item
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

/** Reads the options of one item. @param recipient as `readPhoneNumber` returns it @throws InvalidInputError naming the option */
export function readSendOptions(
	readParameter: ReadParameter,
	itemIndex: number,
	recipient: string,
) {
	return {
		resendUncertain: readParameter('options.resendUncertain', itemIndex, false) === true,
		sendOnceId: readSendOnceId(readParameter, itemIndex, recipient),
	};
}

const SELECT_OR_REMOVE =
	'Select a field that holds an ID in every item, e.g. an order number, or remove the option.';

/**
 * Reads the ID of one item. A misspelled field must not turn the check off: everybody would get the image again in the next execution. Nor
 * may it give all items the same ID: only the first one would get the image.
 *
 * @param recipient as `readPhoneNumber` returns it: all spellings of this number in an expression give the same ID
 * @returns the ID as entered, with this number in digits; undefined if the check is off
 * @throws InvalidInputError
 */
export function readSendOnceId(readParameter: ReadParameter, itemIndex: number, recipient: string) {
	const { value, parts } = orInvalidInput(
		() => readParameter.withParts('options.sendOnceId', itemIndex),
		({ message }) =>
			new InvalidInputError(
				"n8n cannot evaluate the expression in 'Send Once per ID'",
				`n8n says: “${message}”. ${SELECT_OR_REMOVE}`,
			),
	);
	// n8n also leaves NaN out of a text.
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
		const isRecipient = (part: { value: unknown }) => readsAs(part.value, recipient);
		const numbers = parts.filter(isRecipient).map((part) => String(part.value));
		if (mistake === undefined) {
			return numbers.reduce((id, number) => id.replace(number, recipient), value);
		}
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

function readsAs(value: unknown, recipient: string): boolean {
	try {
		return readPhoneNumber(value) === recipient;
	} catch {
		return false;
	}
}

/** Texts that would be in the ID of every item, and the advice for each. */
const MISTAKES: Record<string, string> = {
	undefined: SELECT_OR_REMOVE,
	'[object Object]': SELECT_OR_REMOVE,
	'{{': SWITCH_TO_EXPRESSION,
};
