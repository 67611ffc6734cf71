import type { IExecuteFunctions } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { fileOptions, type ImageAddress, readFileWithAddress } from '../images/fileAddress';
import { isFile } from '../images/imageFile';
import { hintAboutImage } from '../images/imageHints';
import type { ParameterReader } from '../parameters/parameterReader';
import { readPhoneNumber } from '../parameters/phoneNumber';
import { noSuchChoice } from '../parameters/optionReaders';
import { readSentText } from '../parameters/sentText';
import { cleanText, quote } from '../parameters/text';
import { sendOptions } from '../sends/sendOptions';
import { hasTwoSchemes, isWebAddress } from '../shared/webAddress';
import { isToolNode } from '../n8n/agentTool';
import { readSentMessage } from '../transport/sentMessage';
import type { SendOperation } from './operation';

export const sendImage: SendOperation = {
	entry: {
		name: 'Send Image',
		value: 'sendImage',
		action: 'Send image',
		description: 'Send an image with an optional caption to a new or existing chat',
		builderHint: {
			propertyHint:
				"Sends one image for each item. For lists, set 'options.sendOnceId', and 'options.dryRun' to true until the user has seen what would be sent.",
		},
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
				"The recipient's number with its country code. A number with +, 00 or separators is checked. Digits alone are sent as entered, unless they begin with 0.",
		},
		{
			displayName: 'Image From',
			name: 'imageSource',
			type: 'options',
			options: [
				{
					name: 'Input Data Field',
					value: 'binary',
					description: 'A file from the workflow, e.g. of a form, a download or an AI model',
				},
				{ name: 'URL', value: 'url', description: 'An image on the web' },
			],
			default: 'url',
			description: 'An image on the web, or a file from the workflow',
		},
		{
			displayName: 'Image URL',
			name: 'url',
			type: 'string',
			displayOptions: { show: { imageSource: ['url'] } },
			default: '',
			required: true,
			placeholder: 'e.g. https://example.com/picture.png',
			description: 'The address from which the service downloads the image',
		},
		{
			displayName: 'Input Data Field Name',
			name: 'binaryPropertyName',
			type: 'string',
			displayOptions: { show: { imageSource: ['binary'] } },
			default: 'data',
			required: true,
			placeholder: 'e.g. data',
			hint: 'The name of the input field that contains the image file',
			description:
				"The tab 'Binary' of the input shows it. The option 'Send File As' says how the service gets the file.",
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
	options: [...sendOptions, ...fileOptions],
	sends: true,
	async prepare(reader, itemIndex, context) {
		const recipient = reader.readWithParts('number', itemIndex);
		readSentText(recipient, 'Number');
		const number = readPhoneNumber(recipient.value);
		const caption = readSentText(reader.readWithParts('caption', itemIndex), 'Caption');
		const image = await readImage(reader, itemIndex, context);
		const text = caption === '' ? {} : { caption };
		return {
			message: { recipient: number, image: image.identity, caption },
			preview: { number, ...image.preview, ...text },
			check: image.check,
			async createRequest(account) {
				const { url, secret } = await image.createAddress(account);
				return { method: 'POST', path: '/v1/sendImage', body: { number, url, ...text }, secret };
			},
			toItem: (response) => ({ json: readSentMessage(response) }),
		};
	},
};

/** Returns the parts of `PreparedSend` that depend on the image. @throws InvalidInputError, like `check` and `createAddress` */
async function readImage(reader: ParameterReader, itemIndex: number, context: IExecuteFunctions) {
	const source = reader.read('imageSource', itemIndex, 'url');
	if (source === 'url') {
		const entered = reader.readWithParts('url', itemIndex);
		if (isFile(entered.value)) throw notAnAddress('is a file');
		const url = checkImageUrl(readSentText(entered, 'Image URL'));
		hintAboutImage(context, itemIndex, url);
		const createAddress = (): ImageAddress => ({ url });
		return { identity: { url }, preview: { url }, check: undefined, createAddress };
	}
	if (source !== 'binary') throw noSuchChoice('Image From', source, 'Input Data Field or URL');
	if (isToolNode(context.getNode())) {
		const advice = "Choose URL in 'Image From'.";
		throw new InvalidInputError('The tools of an AI agent get no files', advice);
	}
	return await readFileWithAddress(reader, itemIndex, context);
}

/** A second address, and what is before it. Some of that, e.g. /, = or a colon, says that it belongs to the first one, e.g. of a proxy of images. */
const INNER_ADDRESS = /^([^]+?)([/=:?]|[:=[({]['"]|%(?:20|2[27f]|3[adf])|[^])https?:\/\//i;
const SECOND_ADDRESS = /\shttps?:\/\/|[\s,;|]www\./i;

/** What people enter that is no address: an image as text, and a file that the service cannot open. */
const BASE64 = /^(iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|PHN2Z)|^[\w+/]{100}[\w+/\s]*=*$/;
const LOCAL_FILE = /^(file:|[a-z]:[\\/]|\\\\|~\/|\/(home|users|tmp|var|mnt|opt|root|volumes)\/)/i;

/** Returns the address as `cleanText` does. @throws InvalidInputError if it is not one absolute http or https address */
export function checkImageUrl(text: string): string {
	const url = cleanText(text);
	if (/^data:/i.test(url)) throw notAnAddress('is a data URI');
	if (BASE64.test(url)) throw notAnAddress('looks like Base64');
	if (LOCAL_FILE.test(url)) throw notAnAddress('is a file on a computer');
	if (url === '')
		throw new InvalidInputError("'Image URL' is empty", 'Enter the web address of the image.');
	if (hasTwoSchemes(url))
		throw new InvalidInputError(`${quote(url)} begins with https:// twice`, 'Remove one of them.');
	const [, start = '', before = '/'] = INNER_ADDRESS.exec(url) ?? [];
	const isPart = /^([/=:?]|%2f|%3)/i.test(before) || (before.length > 1 && start.includes('?'));
	const advice =
		'Enter one full address that starts with http:// or https://, e.g. https://example.com/picture.png.';
	if (!isPart || /\p{Cc}/u.test(url) || SECOND_ADDRESS.test(url) || !isWebAddress(url))
		throw new InvalidInputError(`${quote(url)} is not a web address`, advice);
	return url;
}

function notAnAddress(isWhat: string): InvalidInputError {
	const advice =
		"To send a file from the workflow, choose Input Data Field in 'Image From'. A form uploads a file, and n8n's Convert to File makes one of Base64. An AI agent can only give the web address of an image.";
	return new InvalidInputError(`'Image URL' ${isWhat}, not a web address`, advice);
}
