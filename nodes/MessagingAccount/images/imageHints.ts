import type { IExecuteFunctions } from 'n8n-workflow';

import { hintOnce } from '../shared/hintOnce';

/** Formats that messengers often do not show, and the ends of addresses that have them. */
const RARE_FORMAT = /\b(svg|heic|heif|avif|tiff?|jxl|jp2)\b(\+xml)?$/i;

/** Addresses of pages that show an image. */
const PAGES: Array<[host: RegExp, path: RegExp]> = [
	[/^(drive|docs)\.google\.com$/, /^\/(file\/|open\b|drive\/)/],
	[/^photos\.(google\.com|app\.goo\.gl)$/, /./],
	[/(^|\.)dropbox\.com$/, /^\/(?!.*[?&](dl|raw)=1\b)/],
	[/^(1drv\.ms|onedrive\.live\.com)$/, /^\/(?!.*\bdownload\b)/],
	[/\.sharepoint\.com$/, /^\/:.:\/(?!.*\bdownload=1\b)/],
	[/^(www\.)?imgur\.com$/, /^\/(?!.*\.\w+$)/],
	[/^github\.com$/, /\/blob\/(?!.*[?&]raw=)/],
	[/^www\.icloud\.com$/, /./],
];

/** Shows a hint if an image may not come out as it is meant. @param type e.g. image/png */
export function hintAboutType(context: IExecuteFunctions, itemIndex: number, type: string): void {
	const [, format] = RARE_FORMAT.exec(type) ?? [];
	if (format === undefined) return;
	hintOnce(
		context,
		itemIndex,
		`Messengers often do not show images in the format ${format.toLowerCase()}`,
		'If it does not appear in the chat, convert it to JPEG or PNG.',
	);
}

/** Shows the same for the address of an image. */
export function hintAboutAddress(context: IExecuteFunctions, itemIndex: number, url: string): void {
	const { hostname, pathname, search } = new URL(url);
	hintAboutType(context, itemIndex, pathname);
	const isPage = PAGES.some(
		([host, path]) => host.test(hostname) && path.test(`${pathname}${search}`),
	);
	if (isPage) {
		hintOnce(
			context,
			itemIndex,
			`'Image URL' leads to a page of ${hostname}, not to an image`,
			'Use the address of the image itself, or download it with a node, and send the file.',
		);
	}
	if (url.includes('&amp;')) {
		hintOnce(
			context,
			itemIndex,
			"'Image URL' contains &amp;, which stands for & in a web page",
			'If the image does not arrive, replace it with &.',
		);
	}
}
