/** The number of bytes at the beginning of a file that show its type. */
export const START_LENGTH = 4096;

/** The formats that people send, with patterns for their first bytes, one character each. */
const IMAGES: Array<[mimeType: string, start: RegExp]> = [
	['image/png', /^\x89PNG\r\n.\n/s],
	['image/jpeg', /^\xff\xd8\xff/],
	['image/gif', /^GIF8[79]a/],
	['image/webp', /^RIFF.{4}WEBP/s],
	['image/bmp', /^BM.{4}\0{4}/s],
	['image/tiff', /^(II[*+]\0|MM\0[*+])/],
	['image/avif', /^.{4}ftypavi[fs]/s],
	['image/heic', /^.{4}ftyp(hei[cmsx]|hev[cmsx])/s],
	['image/heif', /^.{4}ftyp(mif1|msf1)/s],
	['image/jxl', /^(\xff\n|\0{3}.JXL )/s],
	['image/jp2', /^(\0{3}.jP {2}|\xff\x4f\xff\x51)/s],
	['image/x-icon', /^\0\0[^\0]\0[^\0]\0/],
	[
		'image/svg+xml',
		/^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)*((<!--((?!-->).)*-->|<!doctype svg[^>[]*(\[[^\]]*\])?>)\s*)*<(\w+:)?svg[\s>]/is,
	],
];

/** The result of a download whose link leads to the page of an image. */
export const WEB_PAGE = 'a web page';

const OTHERS: Array<[what: string, start: RegExp]> = [
	['a PDF', /^%PDF/],
	['a ZIP archive or an Office document', /^(PK\p{Cc}{2}|\xd0\xcf\p{Cc}\xe0)/u],
	['an archive', /^(7z\xbc\xaf|Rar!|\p{Cc}\x8b)/u],
	['a video', /^(.{4}ftyp|.E\xdf\xa3|RIFF.{4}AVI )/s],
	['an audio file', /^(ID3|OggS|fLaC|RIFF.{4}WAVE|\xff[\xf1-\xf3\xf9\xfb])/s],
	['a data URI, kept as text', /^\s*["']?data:/i],
	[
		WEB_PAGE,
		/^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?<(!doctype html|html|head|body|meta|title|link|style|script|div|form|table|center|h\d|p|pre|!--)\b/i,
	],
	['XML', /^(\xef\xbb\xbf)?\s*</],
	['text', /^\{\\rtf/],
	['JSON', /^(\xef\xbb\xbf)?\s*[[{]/],
	['text', /^[^\0]+$/],
];

const findKind = (kinds: Array<[kind: string, start: RegExp]>, start: Buffer) =>
	kinds.find(([, pattern]) => pattern.test(start.toString('latin1')))?.[0];

/** Returns the type of an image, undefined if it is none. Its first bytes decide: the name and type that n8n has were set by another node. */
export const findImageType = (start: Buffer) => findKind(IMAGES, start);

export const describeStart = (start: Buffer) => findKind(OTHERS, start) ?? 'a file of unknown type';
