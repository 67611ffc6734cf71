import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import {
	hintAboutAddress,
	hintAboutType,
} from '../../../../nodes/MessagingAccount/images/imageHints';

/** Returns the hints about an image of the second of two items. */
function hintsOf(hint: (context: IExecuteFunctions, itemIndex: number) => void): string[] {
	const hints: NodeExecutionHint[] = [];
	const context = {
		getInputData: () => [{}, {}],
		addExecutionHints: (...added: NodeExecutionHint[]) => hints.push(...added),
	} as unknown as IExecuteFunctions;
	hint(context, 1);
	hint(context, 1);
	return hints.map(({ message }) => message);
}

const aboutAddress = (url: string) =>
	hintsOf((context, itemIndex) => hintAboutAddress(context, itemIndex, url));

test.each([
	['https://example.com/a.svg', 'svg'],
	['https://example.com/a.HEIC?x=1', 'heic'],
	['https://example.com/a.tif', 'tif'],
])('the format of %s is one that messengers often do not show', (url, format) => {
	expect(aboutAddress(url)).toEqual([
		`Messengers often do not show images in the format ${format} [item 1]. If it does not appear in the chat, convert it to JPEG or PNG.`,
	]);
});

test.each([
	['image/svg+xml', 1],
	['image/avif', 1],
	['image/tiff', 1],
	['image/png', 0],
	['image/jpeg', 0],
	['image/webp', 0],
])('the type %s gets %d hints', (type, count) => {
	const hints = hintsOf((context, itemIndex) => hintAboutType(context, itemIndex, type));
	expect(hints).toHaveLength(count);
});

test.each([
	'https://drive.google.com/file/d/1abc/view?usp=sharing',
	'https://drive.google.com/open?id=1abc',
	'https://photos.app.goo.gl/abc',
	'https://www.dropbox.com/s/abc/a.png?dl=0',
	'https://www.dropbox.com/scl/fi/abc/a.png?rlkey=x',
	'https://1drv.ms/i/s!abc',
	'https://imgur.com/gallery/abc',
	'https://github.com/owner/repo/blob/main/a.png',
])('%s leads to a page', (url) => {
	expect(aboutAddress(url)).toEqual([
		expect.stringMatching(
			/^'Image URL' leads to a page of .* \[item 1\]\. Use the address of the image/,
		),
	]);
});

test('an address copied from a web page is told', () => {
	expect(aboutAddress('https://example.com/a.png?x=1&amp;y=2')).toEqual([
		expect.stringContaining('contains &amp;, which stands for & in a web page'),
	]);
});

test.each([
	'https://example.com/a.png?x=1&y=2',
	'https://drive.google.com/uc?export=download&id=1abc',
	'https://www.dropbox.com/s/abc/a.png?dl=1',
	'https://dl.dropboxusercontent.com/s/abc/a.png',
	'https://i.imgur.com/abc.png',
	'https://raw.githubusercontent.com/owner/repo/main/a.png',
	'https://example.com/svg/a.jpg',
])('%s gets no hint', (url) => {
	expect(aboutAddress(url)).toEqual([]);
});
