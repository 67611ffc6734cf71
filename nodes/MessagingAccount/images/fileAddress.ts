import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { InvalidInputError } from '../errors/errorClasses';
import { orIfRefused } from '../parameters/expressions';
import type { ParameterReader } from '../parameters/parameterReader';
import { noSuchChoice, readNumber, type ReadOption } from '../parameters/optionReaders';
import type { Account } from '../secrets/account';
import { isLoopback } from '../shared/webAddress';
import { findImageFile, type ImageFile, readBytes, storeWithType } from './imageFile';
import { hintAboutImage } from './imageHints';

const MAX_DATA_URI_LENGTH = 20 * 1024 * 1024;

const ONLY_FOR_FILES = { show: { '/imageSource': ['binary'] } };

export const fileOptions: INodeProperties[] = [
	{
		displayName: 'Send File As',
		name: 'handOverAs',
		type: 'options',
		displayOptions: ONLY_FOR_FILES,
		options: [
			{
				name: 'Data URI',
				value: 'dataUri',
				description: 'Puts the file itself into the request; the service must accept that',
			},
			{
				name: 'Link',
				value: 'link',
				description:
					'Gives the service a link to the file in this n8n, which it must be able to reach',
			},
		],
		default: 'link',
		description:
			'With a link, the service must be able to reach n8n. With a data URI, it must accept one.',
	},
	{
		displayName: 'Link Expires After (Minutes)',
		name: 'linkExpiresAfter',
		type: 'number',
		displayOptions: ONLY_FOR_FILES,
		typeOptions: { minValue: 1, maxValue: 10_080 },
		default: 60,
		description: 'How long anyone with the link can download the file',
	},
];

/** The `url` that the service gets, and the part of it that nobody else may see. */
export type ImageAddress = { url: string; secret?: string };

/** Reads the file in a field of an item. Returns the parts of `PreparedSend` that depend on it. @throws InvalidInputError, as they do */
export async function readFileWithAddress(
	reader: ParameterReader,
	itemIndex: number,
	context: IExecuteFunctions,
) {
	const read: ReadOption = (name, fallback) => reader.read(`options.${name}`, itemIndex, fallback);
	const as = read('handOverAs', 'link');
	if (as !== 'link' && as !== 'dataUri') throw noSuchChoice('Send File As', as, 'Link or Data URI');
	const advice = 'Enter a number in this range: a week at most.';
	const minutes = readNumber(fileOptions, 'linkExpiresAfter', read, advice, true);
	const field = reader.read('binaryPropertyName', itemIndex, 'data');
	const file = await findImageFile(context, itemIndex, field);
	const address = as === 'link' ? asLink(context, file, minutes) : asDataUri(context, file);
	const { mimeType, size, hash } = file;
	hintAboutImage(context, itemIndex, mimeType);
	return {
		// The link to a file differs each time.
		identity: { file: hash },
		preview: { file: { name: file.data.fileName ?? file.field, mimeType, bytes: size } },
		...address,
	};
}

/** @throws InvalidInputError if it would be too large */
function asDataUri(context: IExecuteFunctions, file: ImageFile) {
	const start = `data:${file.mimeType};base64,`;
	const length = start.length + 4 * Math.ceil(file.size / 3);
	if (length > MAX_DATA_URI_LENGTH) {
		const what = `The file is too large for a data URI, which would have ${(length / 1024 / 1024).toFixed(1)} MB: more than 20`;
		throw new InvalidInputError(what, "Choose Link in 'Send File As', or make the image smaller.");
	}
	return {
		check: undefined,
		/** Reads the file right before the request: a list of them needs much memory. */
		createAddress: async (): Promise<ImageAddress> => ({
			url: start + (await readBytes(context, file)).toString('base64'),
		}),
	};
}

function asLink(context: IExecuteFunctions, file: ImageFile, minutes: number) {
	const { helpers } = context;
	return {
		check: ({ baseUrl }: Account) => checkReach(context.getRestApiUrl(), baseUrl),
		/** Creates the link right before the request: it begins to expire. @throws InvalidInputError also if n8n creates none */
		async createAddress({ baseUrl }: Account): Promise<ImageAddress> {
			const data = await storeWithType(context, file);
			const advice = "Choose Data URI in 'Send File As'.";
			if (data.id === undefined)
				throw new InvalidInputError(
					'There is no link to this file, because n8n keeps it in memory',
					`${advice} If n8n keeps all files in memory, set its environment variable N8N_DEFAULT_BINARY_DATA_MODE to filesystem.`,
				);
			const noLink = `n8n does not create a link to the file in '${file.field}'`;
			const create = () => helpers.createBinarySignedUrl(data, `${minutes}m`);
			const url = orIfRefused(create, undefined);
			if (url === undefined) throw new InvalidInputError(noLink, advice);
			checkReach(url, baseUrl);
			return { url, secret: new URL(url).searchParams.get('token') ?? undefined };
		},
	};
}

function checkReach(url: string, baseUrl: string): void {
	if (!isLoopback(url) || isLoopback(baseUrl)) return;
	throw new InvalidInputError(
		`The service cannot follow a link to ${new URL(url).origin}, which leads it to its own machine`,
		"Set n8n's environment variable WEBHOOK_URL to the address at which the service can reach n8n, or choose Data URI in 'Send File As'.",
	);
}
