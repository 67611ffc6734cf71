import type { INodeProperties } from 'n8n-workflow';

import type { ReadParameter } from '../itemParameters';
import { readWholeNumber, toNumber } from '../parameters';
import { InvalidInput } from '../service/errors';

const MOST_CONCURRENT = 50;

/** An hour: who wants to wait longer between two sends has n8n's own Wait node. */
const LONGEST_DELAY_MS = 3_600_000;

/** What sending adds to the collection "Options". */
export const sendOptions: INodeProperties[] = [
	{
		displayName: 'Concurrent Sends',
		name: 'concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST_CONCURRENT },
		default: 1,
		description:
			'How many images are sent at the same time. Those to the same number always go one after another.',
	},
	{
		displayName: 'Delay Between Sends',
		name: 'delayBetweenSends',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: LONGEST_DELAY_MS },
		default: 0,
		description: 'How long to wait from the start of one send to the next, in milliseconds',
	},
	{
		displayName: 'Resend When Uncertain',
		name: 'resendUncertain',
		type: 'boolean',
		default: false,
		description:
			'Whether a retry sends again what may have been sent already, e.g. after a time-out. The recipient may then have the image twice.',
	},
	{
		displayName: 'Send Once per ID',
		name: 'sendOnceId',
		type: 'string',
		default: '',
		placeholder: 'e.g. {{ $json.orderNumber }}',
		description:
			'An ID that belongs to this image and stays the same, e.g. the number of an order. This node sends at most one image for each ID, in all its executions. Empty: no such check.',
	},
];

/** What holds for all sends of a run; an expression is evaluated for the first item. */
export interface PaceOptions {
	concurrency: number;
	/** ms between the starts of two sends. */
	delay: number;
}

/** @throws InvalidInput naming the option */
export function readPaceOptions(readParameter: ReadParameter): PaceOptions {
	return {
		concurrency: readConcurrency(readParameter('options.concurrency', 0, 1)),
		delay: readDelay(readParameter('options.delayBetweenSends', 0, 0)),
	};
}

export function readConcurrency(value: unknown): number {
	return readWholeNumber(
		value,
		'Concurrent Sends',
		[1, MOST_CONCURRENT],
		'Enter one, or take the option out to send one image after another.',
	);
}

export function readDelay(value: unknown): number {
	const delay = toNumber(value);
	if (!(delay >= 0 && delay <= LONGEST_DELAY_MS)) {
		throw new InvalidInput(
			`'Delay Between Sends' is not a number of milliseconds from 0 to ${LONGEST_DELAY_MS}`,
			'Enter one, e.g. 1000 for a second, or take the option out.',
		);
	}
	return delay;
}

export type SendOnceId = string | number;

/** What an item says of its send. */
export interface SendOptions {
	resendUncertain: boolean;
	/** As it was entered; undefined where the check is off. */
	sendOnceId?: SendOnceId;
}

/** @throws InvalidInput naming the option */
export function readSendOptions(readParameter: ReadParameter, itemIndex: number): SendOptions {
	return {
		resendUncertain: readParameter('options.resendUncertain', itemIndex, false) === true,
		sendOnceId: readSendOnceId(readParameter('options.sendOnceId', itemIndex, '')),
	};
}

export function readSendOnceId(value: unknown): SendOnceId | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'string') return value.trim() === '' ? undefined : value;
	if (typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
	throw new InvalidInput(
		"'Send Once per ID' is neither a text nor a number that JavaScript keeps exactly",
		'Pick the field that holds the ID, e.g. the number of an order. A number of more than 15 digits has to come as text.',
	);
}
