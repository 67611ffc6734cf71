import type { INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { orIfRefused } from '../parameters/expressions';
import type { EvaluatedText } from '../parameters/parameterReader';
import { readPhoneNumber } from '../parameters/phoneNumber';
import { readNumber, type ReadOption } from '../parameters/optionReaders';
import { readSentText } from '../parameters/sentText';
import { isEmpty } from '../parameters/text';

/** An hour: for longer delays, there is n8n's Wait node. */
const MAX_DELAY_MS = 3_600_000;

/** Options of every operation that sends. A default applies when an option is added: an absent one is off, but for Wait for Service. */
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
		displayName: 'Delay Between Sends (Milliseconds)',
		name: 'delayBetweenSends',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: MAX_DELAY_MS },
		default: 5000,
		description: 'How long to wait from the start of one send to the next, e.g. 5000 for 5 seconds',
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
		displayName: 'Max Sends per Execution',
		name: 'maxSends',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1_000_000 },
		default: 100,
		description:
			"The most images to send in one execution, over all rounds of a loop. The other items are skipped. With 'Send Once per ID', the next execution sends the next ones; without it, the same people get the image again. Enter 0 for no limit.",
	},
	{
		displayName: 'Share Pace Across Workflows',
		name: 'pacePerAccount',
		type: 'boolean',
		default: true,
		description:
			'Whether the delay is kept between the sends of all workflows that use this account and this option. In queue mode, each worker counts its own.',
	},
	{
		displayName: 'Random Extra Delay (Milliseconds)',
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
		placeholder: 'e.g. spring {{ $json.phone }}',
		description:
			'An ID of this image that stays the same, e.g. an order number, or the phone number for one image per person. The node sends at most one image per ID across all its executions. An expression must give an ID for every item. Leave empty to turn this off.',
	},
	{
		displayName: 'Wait for Service (Minutes)',
		name: 'waitForService',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 1440 },
		// Long enough for a restart of the service, and short enough for somebody who watches.
		default: 1,
		description:
			'How long to wait for the service or the account after three sends in a row that failed because of it. Then the remaining items fail without being tried.',
	},
];

export type RunOptions = ReturnType<typeof readRunOptions>;

/** Reads the options for all items, whose expressions n8n evaluates for the first one. @throws InvalidInputError naming the option */
export function readRunOptions(read: ReadOption) {
	const countAdvice =
		'Enter a number in this range, or remove the option to send one image after another.';
	const limitAdvice = 'Enter a number in this range, or remove the option to send to all items.';
	const waitAdvice = 'Enter a number in this range, e.g. 60 for an hour, or remove the option.';
	const delayAdvice = 'Enter a number in this range, e.g. 1000 for a second, or remove the option.';
	const readDelay = (name: string) =>
		readNumber(sendOptions, name, (delay) => read(delay, 0), delayAdvice);
	return {
		concurrency: readNumber(sendOptions, 'concurrency', read, countAdvice, true),
		/** The ms between the starts of two sends. */
		delay: readDelay('delayBetweenSends'),
		isPerAccount: read('pacePerAccount', false) === true,
		includesInput: read('includeInputFields', false) === true,
		/** The most sends of one execution. */
		maxSends:
			readNumber(sendOptions, 'maxSends', (name) => read(name, 0), limitAdvice, true) || Infinity,
		/** The most ms that are added at random to each delay. */
		randomExtraDelay: readDelay('randomExtraDelay'),
		/** The ms to wait for the service in an outage. */
		waitForService: 60_000 * readNumber(sendOptions, 'waitForService', read, waitAdvice),
	};
}

/**
 * Returns whether nothing may be sent, the same for all items: neither a text like "true" nor an expression may send what is only tried.
 * @throws InvalidInputError if it is neither true nor false for this item, or differs from the first one
 */
export function readDryRun(value: unknown, first = value): boolean {
	if (typeof value !== 'boolean') {
		const advice = 'Turn it on or off, or enter an expression that gives true or false.';
		throw new InvalidInputError("'Dry Run' is neither true nor false", advice);
	}
	if (value === first) return value;
	const advice = 'Enter an expression that gives the same for all items, or use two nodes.';
	const difference = `'Dry Run' is ${value} for this item, but ${!value} for the first one`;
	throw new InvalidInputError(difference, advice);
}

/** @throws InvalidInputError if n8n cannot evaluate the expression */
export function evaluateId<T>(read: () => T): T {
	const what = "n8n cannot evaluate the expression in 'Send Once per ID'";
	const advice = 'Select a field that holds an ID, e.g. an order number, or remove the option.';
	const refusal = ({ message }: Error) =>
		new InvalidInputError(what, `n8n says: “${message}”. ${advice}`);
	try {
		return read();
	} catch (error) {
		throw refusal(error as Error);
	}
}

/**
 * Reads the ID of one item. A misspelled field must not turn the check off: everybody would get the image again in the next execution. Nor
 * may it give all items the same ID: only the first one would get the image.
 * @param recipient as `readPhoneNumber` returns it: all spellings of this number in an expression give the same ID
 * @returns the ID as entered, with this number in digits; undefined if the check is off @throws InvalidInputError
 */
export function readSendOnceId(evaluated: EvaluatedText, recipient: string) {
	const { value, parts } = evaluated;
	readSentText(evaluated, 'Send Once per ID');
	if (isEmpty(value)) return undefined;
	if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	if (typeof value !== 'string')
		throw new InvalidInputError(
			"'Send Once per ID' is neither text nor a number of at most 15 digits",
			'Select the field that holds the ID, e.g. an order number. Pass numbers of more than 15 digits as text.',
		);
	const readAsNumber = (one: unknown) => orIfRefused(() => readPhoneNumber(one), undefined);
	const numbers = parts.filter((part) => readAsNumber(part.value) === recipient);
	return numbers.reduce((id, number) => id.replace(String(number.value), recipient), value);
}
