import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { InvalidInputError, orInvalidInput } from '../errors/errorClasses';
import type { ReadParameter } from '../parameters/parameterReader';
import { noSuchChoice, readNumber } from '../parameters/optionReaders';
import { cleanText } from '../parameters/text';
import type { Account } from '../secrets/account';
import { isLoopback } from '../shared/webAddress';
import { findImageFile, type ImageFile, readBytes, storeWithType } from './imageFile';
import { hintAboutImage } from './imageHints';

const MAX_DATA_URI_LENGTH = 20 * 1024 * 1024;

const ONLY_FOR_FILES = { show: { '/imageSource': ['binary'] } };

export const handOverOptions: INodeProperties[] = [
	{
		displayName: 'Send File As',
		name: 'handOverAs',
		type: 'options',
		displayOptions: ONLY_FOR_FILES,
		options: [
			{
				name: 'Data URI',
				value: 'dataUri',
				description: 'Puts the file itself into the request, if the service takes that',
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

type HandOver = ReturnType<typeof readHandOver>;

/** Reads the file in a field of an item. Returns the parts of `PreparedSend` that depend on it. @throws InvalidInputError, as they do */
export async function readFileToHandOver(
	read: ReadParameter,
	itemIndex: number,
	context: IExecuteFunctions,
) {
	const handOver = readHandOver(read, itemIndex);
	const entered = read('binaryPropertyName', itemIndex, 'data');
	const field = typeof entered === 'string' ? cleanText(entered) : entered;
	const file = await findImageFile(context, itemIndex, field);
	checkHandOver(handOver, file);
	hintAboutImage(context, itemIndex, file.mimeType);
	const name = file.data.fileName ?? file.field;
	return {
		// The link to a file differs each time.
		identity: { file: file.hash },
		preview: { file: { name, mimeType: file.mimeType, bytes: file.size } },
		check: ({ baseUrl }: Account) => {
			if (handOver.as === 'link') checkReach(context.getRestApiUrl(), baseUrl);
		},
		createAddress: async ({ baseUrl }: Account) =>
			await createImageAddress(context, handOver, file, baseUrl),
	};
}

/** Reads how the service gets a file. @throws InvalidInputError naming the option */
export function readHandOver(read: ReadParameter, itemIndex: number) {
	const option = (name: string, fallback: unknown) => read(`options.${name}`, itemIndex, fallback);
	const as = option('handOverAs', 'link');
	if (as !== 'link' && as !== 'dataUri') throw noSuchChoice('Send File As', as, 'Link or Data URI');
	const advice = 'Enter a number in this range: a week at most.';
	const linkExpiresAfter = readNumber(handOverOptions, 'linkExpiresAfter', option, advice, true);
	return { as, linkExpiresAfter };
}

/** The `url` that the service gets, and the part of it that nobody else may see. */
export type ImageAddress = { url: string; secret?: string };

/** Checks the size of a data URI. Call this before the request is made. @throws InvalidInputError if it is too large */
export function checkHandOver({ as }: HandOver, { size, mimeType }: ImageFile): void {
	if (as === 'link') return;
	const length = createDataUriStart(mimeType).length + 4 * Math.ceil(size / 3);
	if (length <= MAX_DATA_URI_LENGTH) return;
	throw new InvalidInputError(
		`The file is too large for a data URI, which would have ${(length / 1024 / 1024).toFixed(1)} MB: more than 20`,
		"Choose Link in 'Send File As', or make the image smaller.",
	);
}

/**
 * Creates the `url` that the service gets. Call this right before the request: a link begins to expire, and a data URI holds all the file.
 * @throws InvalidInputError if n8n creates no link or no longer has the file, or the service could not follow the link
 */
export async function createImageAddress(
	context: IExecuteFunctions,
	{ as, linkExpiresAfter }: HandOver,
	file: ImageFile,
	baseUrl: string,
): Promise<ImageAddress> {
	if (as === 'dataUri') {
		const bytes = await readBytes(context, file);
		return { url: `${createDataUriStart(file.mimeType)}${bytes.toString('base64')}` };
	}
	const data = await storeWithType(context, file);
	const advice = "Choose Data URI in 'Send File As'.";
	if (data.id === undefined) {
		throw new InvalidInputError(
			'There is no link to this file, because n8n keeps it in memory',
			`${advice} If n8n keeps all files in memory, set its environment variable N8N_DEFAULT_BINARY_DATA_MODE to filesystem.`,
		);
	}
	const link = orInvalidInput(
		() => context.helpers.createBinarySignedUrl(data, `${linkExpiresAfter}m`),
		() =>
			new InvalidInputError(`n8n does not create a link to the file in '${file.field}'`, advice),
	);
	checkReach(link, baseUrl);
	return { url: link, secret: new URL(link).searchParams.get('token') ?? undefined };
}

/** @throws InvalidInputError if the service at `baseUrl` could not follow a link to this URL of n8n */
function checkReach(url: string, baseUrl: string): void {
	if (!isLoopback(url) || isLoopback(baseUrl)) return;
	throw new InvalidInputError(
		`The service cannot follow a link to ${new URL(url).origin}, which is the machine that n8n runs on`,
		"Set n8n's environment variable WEBHOOK_URL to the address at which the service can reach n8n, or choose Data URI in 'Send File As'.",
	);
}

const createDataUriStart = (mimeType: string) => `data:${mimeType};base64,`;
