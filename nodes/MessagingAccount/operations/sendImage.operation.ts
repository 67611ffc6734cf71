import { readNumber } from '../parameters';
import { InvalidInput } from '../service/errors';
import { readSentMessage } from '../service/answers';
import { sendOptions } from '../sends/options';
import { LARGEST_OBJECT_BYTES } from '../service/body';
import type { Operation } from './operation';

export const sendImage: Operation = {
	entry: {
		name: 'Send Image',
		value: 'sendImage',
		action: 'Send image',
		description: 'Send an image, with a caption if you like, to a new or an existing chat',
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
				'The number of the recipient with its country code. Spaces and the signs + ( ) - . are taken out.',
		},
		{
			displayName: 'Image URL',
			name: 'url',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/picture.png',
			description: 'The web address of the image. The service fetches it from there.',
		},
		{
			displayName: 'Caption',
			name: 'caption',
			type: 'string',
			typeOptions: { rows: 2 },
			default: '',
			placeholder: 'e.g. Your order is on its way',
			description: 'The text that goes with the image',
		},
	],
	options: sendOptions,
	hints: [
		{
			message:
				"Images go out one after another, in the order of the input. To send several at the same time, add the option 'Concurrent Sends'.",
			location: 'outputPane',
			whenToDisplay: 'beforeExecution',
			displayCondition:
				'={{ $parameter["operation"] === "sendImage" && !$parameter["options"]["concurrency"] }}',
		},
	],
	sends: true,
	prepare(readParameter, itemIndex) {
		const number = readNumber(readParameter('number', itemIndex));
		const caption = readCaption(readParameter('caption', itemIndex, ''));
		return {
			recipient: number,
			request: {
				method: 'POST',
				path: '/v1/sendImage',
				largestAnswer: LARGEST_OBJECT_BYTES,
				body: {
					number,
					url: readImageUrl(readParameter('url', itemIndex)),
					...(caption === '' ? {} : { caption }),
				},
			},
			toItems: (answer) => [{ json: readSentMessage(answer) }],
		};
	},
};

/**
 * The image's address as it was entered.
 *
 * @throws InvalidInput where it is no absolute http or https address
 */
export function readImageUrl(value: unknown): string {
	const url = String(value ?? '').trim();
	if (url === '') {
		throw new InvalidInput("'Image URL' is empty", 'Enter the web address of the image.');
	}
	const isOneAddress = /^https?:\/\/\S/i.test(url) && !/\p{Cc}|\shttps?:\/\//iu.test(url);
	if (!isOneAddress || !URL.canParse(url)) {
		throw new InvalidInput(
			"'Image URL' is not a web address",
			'Enter one full address that starts with http:// or https://, e.g. https://example.com/picture.png.',
		);
	}
	return url;
}

/**
 * The caption; an empty string where there is none.
 *
 * @throws InvalidInput where it is neither text nor a plain value
 */
export function readCaption(value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'object') {
		throw new InvalidInput(
			"'Caption' is not a text",
			'It is a list or an object: pick the field of it that holds the text.',
		);
	}
	return String(value);
}
