import type { IExecuteFunctions } from 'n8n-workflow';

import { hintOnce } from '../n8n/hintOnce';

/** Problems that the type or the address of an image suggests, and the advice for each. */
const HINTS: Array<[what: string, pattern: RegExp, advice: string]> = [
	[
		'Messengers often do not show images in the formats SVG, HEIC, AVIF and TIFF',
		/^(image\/|[^?#]*\.)(svg|hei[cf]|avif|tiff?)(\+xml)?($|[?#])/i,
		'If it does not appear in the chat, convert it to JPEG or PNG.',
	],
	[
		"'Image URL' leads to a page that shows an image, not to the image itself",
		/^https?:\/\/((drive|docs)\.google\.com\/(file|open|drive)\b|photos\.(google|app\.goo)\b|(www\.)?dropbox\.com\/(?!.*[?&](dl|raw)=1)|1drv\.ms\/|(www\.)?imgur\.com\/(?!.*\.\w+$)|github\.com\/.*\/blob\/(?!.*[?&]raw=))/i,
		'Use a direct download link, or download the image with another node and send the file.',
	],
	[
		"'Image URL' contains &amp;, which stands for & in a web page",
		/&amp;/i,
		'If the image does not arrive, replace it with &.',
	],
];

/** Shows the hints for an image. @param image its type, e.g. image/png, or its address */
export function hintAboutImage(context: IExecuteFunctions, itemIndex: number, image: string): void {
	for (const [what, pattern, advice] of HINTS)
		if (pattern.test(image)) hintOnce(context, itemIndex, what, advice);
}
