import { InvalidInputError } from '../errors/invalidInputError';
import { readPhoneNumber } from '../parameters/phoneNumber';
import { requirePlainValue } from '../parameters/plainValue';
import { sendOptions } from '../sends/sendOptions';
import { MAX_OBJECT_BYTES } from '../transport/responseBody';
import { readSentMessage } from '../transport/responses';
import type { Operation } from './operation';

export const sendImage: Operation = {
	entry: {
		name: 'Send Image',
		value: 'sendImage',
		action: 'Send image',
		description: 'Send an image with an optional caption to a new or existing chat',
	},
	parameters: [
		{
			displayName: 'Number',
			name: 'number',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. +1 202 555 0143',
			description:
				"The recipient's number with its country code. Spaces and + ( ) - . are removed. A number that is not certain is refused, e.g. one that begins with 0.",
		},
		{
			displayName: 'Image URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/picture.png',
			description: 'The address from which the service downloads the image',
		},
		{
			displayName: 'Caption',
			name: 'caption',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. Your order is on its way',
			description: 'The text to send with the image',
		},
	],
	options: sendOptions,
	hints: [
		{
			message:
				"The node sends one image after another, in the order of the input. To send several at the same time, add the option 'Concurrent Sends'.",
			location: 'outputPane',
			whenToDisplay: 'beforeExecution',
			displayCondition:
				'={{ $parameter["operation"] === "sendImage" && !$parameter["options"]["concurrency"] }}',
		},
	],
	sends: true,
	prepare(readParameter, itemIndex) {
		const number = readPhoneNumber(readParameter('number', itemIndex));
		const caption = readCaption(readParameter('caption', itemIndex, ''));
		return {
			recipient: number,
			request: {
				method: 'POST',
				path: '/v1/sendImage',
				maxResponseBytes: MAX_OBJECT_BYTES,
				body: {
					number,
					url: readImageUrl(readParameter('url', itemIndex)),
					...(caption === '' ? {} : { caption }),
				},
			},
			toItems: (response) => [{ json: readSentMessage(response) }],
		};
	},
};

/**
 * Reads the address of the image.
 *
 * @throws InvalidInputError if it is not an absolute http or https address
 */
export function readImageUrl(value: unknown): string {
	requirePlainValue(value, 'Image URL', 'the address of one image');
	const url = String(value ?? '').trim();
	if (url === '') {
		throw new InvalidInputError("'Image URL' is empty", 'Enter the web address of the image.');
	}
	const isOneAddress = /^https?:\/\/\S/i.test(url) && !/\p{Cc}|\shttps?:\/\//iu.test(url);
	if (!isOneAddress || !URL.canParse(url)) {
		throw new InvalidInputError(
			"'Image URL' is not a web address",
			'Enter one full address that starts with http:// or https://, e.g. https://example.com/picture.png.',
		);
	}
	return url;
}

/**
 * Reads the caption; an empty string if there is none.
 *
 * @throws InvalidInputError if it is neither text nor a plain value
 */
export function readCaption(value: unknown): string {
	requirePlainValue(value, 'Caption', 'the text');
	return String(value ?? '');
}
