import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { InvalidInputError, orInvalidInput } from '../errors/errorClasses';
import { readNumber } from '../parameters/numericParameter';
import type { ReadParameter } from '../parameters/parameterReader';
import { noSuchChoice } from '../parameters/plainValue';
import { isLoopback } from '../shared/loopback';
import { type ImageFile, readBytes, storeWithType } from './imageFile';

/** The length in characters, as the service gets it. */
const MAX_DATA_URI_LENGTH = 20 * 1024 * 1024;

const ONLY_FOR_FILES = { show: { '/imageSource': ['binary'] } };

/** Options of an image that is a file. */
export const handOverOptions: INodeProperties[] = [
	{
		displayName: 'Hand Over As',
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
		description: 'How the service gets the file',
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

export type HandOver = ReturnType<typeof readHandOver>;

/** Reads how the service gets a file. @throws InvalidInputError naming the option */
export function readHandOver(readParameter: ReadParameter, itemIndex: number) {
	const read = (name: string, fallback: unknown) =>
		readParameter(`options.${name}`, itemIndex, fallback);
	const as = read('handOverAs', 'link');
	if (as !== 'link' && as !== 'dataUri') throw noSuchChoice('Hand Over As', as, 'Link or Data URI');
	const advice = 'Enter a number in this range: a week at most.';
	return {
		as,
		/** minutes */
		linkExpiresAfter: readNumber(handOverOptions, 'linkExpiresAfter', read, advice, true),
	};
}

/** The `url` that the service gets. */
export interface ImageAddress {
	url: string;
	/** The part of it that nobody else may see. */
	secret?: string;
}

/** Checks the size of a data URI. Call this before the request is made. @throws InvalidInputError if it is too large */
export function checkHandOver({ as }: HandOver, { size, mimeType }: ImageFile): void {
	if (as === 'link') return;
	const length = createDataUriStart(mimeType).length + 4 * Math.ceil(size / 3);
	if (length <= MAX_DATA_URI_LENGTH) return;
	throw new InvalidInputError(
		`The file is too large for a data URI, which would have ${(length / 1024 / 1024).toFixed(1)} MB: more than 20`,
		"Choose Link in 'Hand Over As', or make the image smaller.",
	);
}

/**
 * Creates the `url` that the service gets. Call this right before the request: the link begins to expire, and a data URI holds the whole
 * file.
 *
 * @param baseUrl of the service
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
	if (data.id === undefined) {
		throw new InvalidInputError(
			'There is no link to this file, because n8n keeps it in memory',
			"Choose Data URI in 'Hand Over As'. If n8n keeps all files in memory, set its environment variable N8N_DEFAULT_BINARY_DATA_MODE to filesystem.",
		);
	}
	const link = orInvalidInput(
		() => context.helpers.createBinarySignedUrl(data, `${linkExpiresAfter}m`),
		() =>
			new InvalidInputError(
				`n8n does not create a link to the file in '${file.field}'`,
				"Choose Data URI in 'Hand Over As'.",
			),
	);
	checkReach(link, baseUrl);
	return { url: link, secret: new URL(link).searchParams.get('token') ?? undefined };
}

/** @throws InvalidInputError if the service at `baseUrl` could not follow a link to this URL of n8n */
export function checkReach(url: string, baseUrl: string): void {
	if (!isLoopback(url) || isLoopback(baseUrl)) return;
	const { origin } = new URL(url);
	throw new InvalidInputError(
		`The service cannot follow a link to ${origin}, which is the machine that n8n runs on`,
		"Set n8n's environment variable WEBHOOK_URL to the address at which the service can reach n8n, or choose Data URI in 'Hand Over As'.",
	);
}

function createDataUriStart(mimeType: string): string {
	return `data:${mimeType};base64,`;
}
