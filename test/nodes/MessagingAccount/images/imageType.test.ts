import { findImageType } from '../../../../nodes/MessagingAccount/images/imageType';

const bytes = (text: string) => Buffer.from(text.padEnd(12, '\0'), 'latin1');

test.each([
	['image/png', '\x89PNG\r\n\x1a\n'],
	['image/jpeg', '\xff\xd8\xff\xe0'],
	['image/gif', 'GIF89a'],
	['image/webp', 'RIFF\x01\n\x03\x04WEBP'],
	['image/bmp', 'BM'],
	['image/tiff', 'II*\0'],
	['image/tiff', 'MM\0*'],
	['image/heic', '\0\0\0\x18ftypheic'],
	['image/heic', '\0\0\0\x18ftypheix'],
	['image/heif', '\0\0\0\x18ftypmif1'],
	['image/avif', '\0\0\0\nftypavif'],
])('%s is found by its first bytes', (type, start) => {
	expect(findImageType('application/octet-stream', bytes(start))).toBe(type);
});

test.each([
	'',
	'P',
	'%PDF-1.7',
	'RIFF\x01\x02\x03\x04WAVE',
	'\0\0\0\x18ftypmp42',
	' \x89PNG\r\n\x1a\n',
])('%j is no image', (start) => {
	expect(findImageType('text/plain', Buffer.from(start, 'latin1'))).toBeUndefined();
});

test.each([
	['image/png', 'image/png'],
	['IMAGE/svg+xml', 'IMAGE/svg+xml'],
	['image/png; name="a.png"', 'image/png'],
])('the type %j is enough', (known, type) => {
	expect(findImageType(known, bytes('?'))).toBe(type);
});

test.each(['image/', 'images/png', 'x-image/png'])('the type %j is not', (known) => {
	expect(findImageType(known, bytes('?'))).toBeUndefined();
});
