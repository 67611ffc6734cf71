import { describeStart, findImageType } from '../../../../nodes/MessagingAccount/images/imageType';

const bytes = (text: string) => Buffer.from(text.padEnd(12, '\0'), 'latin1');

const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

test.each([
	['image/png', '\x89PNG\r\n\x1a\n'],
	['image/jpeg', '\xff\xd8\xff\xe0'],
	['image/gif', 'GIF89a'],
	['image/webp', 'RIFF\x01\n\x03\x04WEBP'],
	['image/bmp', 'BM\x36\x10\0\0\0\0\0\0\x36'],
	['image/tiff', 'II*\0'],
	['image/tiff', 'MM\0*'],
	['image/tiff', 'II+\0\x08'],
	['image/heic', '\0\0\0\x18ftypheic'],
	['image/heic', '\0\0\0\x18ftyphevc'],
	['image/heif', '\0\0\0\x18ftypmif1'],
	['image/avif', '\0\0\0\nftypavif'],
	['image/jxl', '\xff\x0a'],
	['image/x-icon', '\0\0\x01\0\x01\0'],
	['image/svg+xml', `\xef\xbb\xbf<?xml version="1.0"?>\n<!-- made by hand -->\n${SVG}`],
	['image/svg+xml', `<?xml version="1.0"?><?xml-stylesheet href="a.css"?>${SVG}`],
	['image/svg+xml', `<!--${'x'.repeat(2000)}-->${SVG}`],
	['image/svg+xml', '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>'],
	['image/jp2', '\xff\x4f\xff\x51'],
	['image/svg+xml', `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n${SVG}`],
])('%s is found by its first bytes', (type, start) => {
	expect(findImageType(bytes(start))).toBe(type);
});

test.each([
	['', 'a file of unknown type'],
	['%PDF-1.7', 'a PDF'],
	['PK\x03\x04\x14', 'a ZIP archive or an Office document'],
	['RIFF\x01\x02\x03\x04WAVE', 'an audio file'],
	['ID3\x04', 'an audio file'],
	['\0\0\0\x18ftypmp42', 'a video'],
	[' \x89PNG\r\n\x1a\n\0', 'a file of unknown type'],
	['BMW, our new catalog', 'text'],
	['data:image/png;base64,iVBORw0KGgo=', 'a data URI, kept as text'],
	['"data:image/png;base64,iVBORw0KGgo="', 'a data URI, kept as text'],
	['\n<!DOCTYPE html><title>Login</title>', 'a web page'],
	['<html lang="en"><body><svg></svg>', 'a web page'],
	['<meta charset="utf-8"><title>Login</title>', 'a web page'],
	['<?xml version="1.0"?><!DOCTYPE html><html/>', 'a web page'],
	['<h2>404 Not Found</h2>', 'a web page'],
	['<pre>Cannot GET /a.png</pre>', 'a web page'],
	['<script>location = "/login"</script>', 'a web page'],
	['<?xml version="1.0"?><Error/>', 'XML'],
	['{\\rtf1 Hello}', 'text'],
	['\xd0\xcf\x11\xe0\xa1', 'a ZIP archive or an Office document'],
	['7z\xbc\xaf\x27', 'an archive'],
	['\xff\xf1\x50', 'an audio file'],
	['\0\0\x02\0moov', 'a file of unknown type'],
	['{"error":"not found"}', 'JSON'],
])('%j is no image, but begins like %s', (start, what) => {
	const content = Buffer.from(start, 'latin1');
	expect(findImageType(content)).toBeUndefined();
	expect(describeStart(content)).toBe(what);
});
