/** As many bytes at the beginning of a file tell whether it is an image. */
export const SIGNATURE_LENGTH = 12;

/** The first bytes, one character each, of the formats that people send. */
const SIGNATURES: Array<[mimeType: string, start: RegExp]> = [
	['image/png', /^\x89PNG\r\n/],
	['image/jpeg', /^\xff\xd8\xff/],
	['image/gif', /^GIF8/],
	['image/webp', /^RIFF.{4}WEBP/s],
	['image/bmp', /^BM/],
	['image/tiff', /^(II\*\0|MM\0\*)/],
	['image/heic', /^....ftyphei[cx]/s],
	['image/heif', /^....ftypmif1/s],
	['image/avif', /^....ftypavif/s],
];

/**
 * Finds the type of an image. A download often says only that a file is one, e.g. application/octet-stream: then its first bytes
 * tell.
 *
 * @param mimeType as n8n has it
 * @param start its first bytes, `SIGNATURE_LENGTH` of them if there are as many
 * @returns undefined if it is no image
 */
export function findImageType(mimeType: string, start: Buffer): string | undefined {
	const [known] = /^image\/[\w.+-]+/i.exec(mimeType) ?? [];
	if (known) return known;
	const text = start.toString('latin1');
	return SIGNATURES.find(([, pattern]) => pattern.test(text))?.[0];
}
