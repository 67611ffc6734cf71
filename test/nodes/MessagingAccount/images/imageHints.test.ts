import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';

import { hintAboutImage } from '../../../../nodes/MessagingAccount/images/imageHints';

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

const about = (image: string) =>
	hintsOf((context, itemIndex) => hintAboutImage(context, itemIndex, image));

const words = (text: string) => text.trim().split(/\s+/);

test.each(
	words(`
		https://example.com/a.svg https://example.com/a.HEIC?x=1 https://example.com/a.tif
		image/svg+xml image/heif image/avif image/tiff
	`),
)('%s may be in a format that messengers often do not show', (image) => {
	expect(about(image)).toEqual([
		'Messengers often do not show images in the formats SVG, HEIC, AVIF and TIFF [item 1]. If it does not appear in the chat, convert it to JPEG or PNG.',
	]);
});

test.each(
	words(`
		https://drive.google.com/file/d/1abc/view?usp=sharing https://drive.google.com/open?id=1abc
		https://photos.app.goo.gl/abc https://www.dropbox.com/s/abc/a.png?dl=0
		https://www.dropbox.com/scl/fi/abc/a.png?rlkey=x https://1drv.ms/i/s!abc
		https://imgur.com/gallery/abc https://github.com/owner/repo/blob/main/a.png
	`),
)('%s leads to a page', (url) => {
	expect(about(url)).toEqual([
		expect.stringMatching(
			/^'Image URL' leads to a page that shows an image, .* \[item 1\]\. Use a direct download link/,
		),
	]);
});

test('an address copied from a web page is told', () => {
	expect(about('https://example.com/a.png?x=1&amp;y=2')).toEqual([
		expect.stringContaining('contains &amp;, which stands for & in a web page'),
	]);
});

test.each(
	words(`
		https://example.com/a.png?x=1&y=2 https://example.com/a.png?from=svg
		https://example.com/convert/heic? https://example.com/a.png?title=logo.svg
		https://drive.google.com/uc?export=download&id=1abc
		https://www.dropbox.com/s/abc/a.png?dl=1 https://dl.dropboxusercontent.com/s/abc/a.png
		https://i.imgur.com/abc.png https://raw.githubusercontent.com/owner/repo/main/a.png
		https://example.com/svg/a.jpg image/png image/jpeg image/webp
	`),
)('%s gets no hint', (url) => {
	expect(about(url)).toEqual([]);
});
