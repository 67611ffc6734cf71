import type { IExecuteFunctions } from 'n8n-workflow';

import { hintOnce } from '../n8n/notify';
import { parseTime } from '../messages/times';

/** Pages that show an image, without the beginning of their address. After some of these hosts, an address may lead to the image itself. */
const PAGES = String.raw`
	(drive|docs)\.google\.com/(u/\d+/)?(file|open|drive)\b photos\.(google|app\.goo)\b images\.app\.goo\.gl/ google\.[a-z.]+/(imgres|url|search)\b share\.google/(?!.*\.\w+$)
	[\w-]+\.sharepoint\.com/(?!.*[?&]download=1) onedrive\.live\.com/(?!download) (share\.)?icloud\.com/ (1drv\.ms|mega\.nz|we\.tl)/(?!.*\.\w+$)
	dropbox\.com/(?!.*[?&](dl|raw)=1) ([\w-]+\.)*box\.com/(s|file)/ wetransfer\.com/
	(ibb\.co|prnt\.sc|imageshack\.com|gyazo\.com|postimg\.cc|flic\.kr|imgur\.com)/(?!.*\.\w+$) flickr\.com/photos/
	unsplash\.com/photos/(?!.*/download\b) pexels\.com/([a-z-]+/)?photo/ canva\.com/design/ giphy\.com/gifs/ tenor\.com/view/
	(t\.me|instagram\.com|pin\.it|fb\.me)/(?!.*\.\w+$) facebook\.com/(?!.*\.(jpe?g|png)\b) ([a-z]+\.)?pinterest\.[a-z.]+/pin/ (x|twitter)\.com/\w+/status/
	github\.com/[^/]+/[^/]+/blob/(?!.*[?&]raw=) gitlab\.com/[^?#]+/blob/ bitbucket\.org/[^/]+/[^/]+/src/ huggingface\.co/(datasets/)?[^/]+/[^/]+/blob/ ([a-z]+\.)*wiki[mp]edia\.org/wiki/(File|Datei|Fichier|Archivo|Ficheiro|Berkas):`
	.trim()
	.replace(/\s+/g, '|');

/** Problems that the type or the address of an image suggests, and the advice for each. */
const HINTS: Array<[what: string, pattern: RegExp, advice: string]> = [
	[
		'Messengers often do not show images in the formats SVG, HEIC, AVIF and TIFF',
		/^(image\/|[^?#]*\.)(svgz?|hei[cf]|avif|tiff?)(\+xml)?($|[?#])/i,
		'If it does not appear in the chat, convert it to JPEG or PNG.',
	],
	[
		"'Image URL' leads to a page that shows an image, not to the image itself",
		new RegExp(`^https?://((www|m|mobile)\\.)?(${PAGES})`, 'i'),
		'Use a direct download link, or download the image with another node and send the file.',
	],
	[
		"'Image URL' contains &amp;, which stands for & in a web page",
		/&amp;/i,
		'If the image does not arrive, replace it with &.',
	],
];

/** Shows the hints for an image. @param typeOrUrl its type, e.g. image/png, or its address */
export function hintAboutImage(context: IExecuteFunctions, itemIndex: number, typeOrUrl: string) {
	const image = typeOrUrl.slice(0, 8000);
	for (const [what, pattern, advice] of HINTS)
		if (pattern.test(image)) hintOnce(context, itemIndex, what, advice);
	const end = readExpiry(image);
	if (!(end < Date.now())) return;
	const advice = `It expired on ${new Date(end).toISOString()}. Get a new one.`;
	hintOnce(context, itemIndex, "The link in 'Image URL' has expired", advice);
}

/** Returns when a signed link expires, as those of AWS, Google, Azure, Meta, Discord and others say; otherwise NaN. */
function readExpiry(url: string): number {
	if (!url.includes('?')) return NaN;
	const query = new URLSearchParams(url.replace(/^[^?]*|#[^]*/g, ''));
	const toName = (name: string) => name.toLowerCase().replace(/^x-(amz|goog)-/, 'x-');
	const fields = Object.fromEntries([...query].map(([name, value]) => [toName(name), value]));
	const signed = parseTime(fields['x-date']);
	if (signed) return signed + Number(fields['x-expires']) * 1000;
	// Of Meta, and of Discord: seconds in hexadecimal, beside a hash.
	const hex = (fields.oh && fields.oe) || (fields.hm && fields.ex);
	if (hex) return Number(`0x${hex}`) * 1000;
	return parseTime(fields.expires ?? fields.se ?? fields.exp) ?? NaN;
}
