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
		https://example.com/a.svg https://example.com/a.svgz https://example.com/a.HEIC?x=1 https://example.com/a.tif
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
		https://ibb.co/abc https://images.app.goo.gl/abc https://prnt.sc/abc https://gyazo.com/abc
		https://www.instagram.com/p/abc/ https://www.google.com/imgres?imgurl=a
		https://www.google.co.uk/imgres?imgurl=a https://contoso-my.sharepoint.com/:i:/g/personal/abc?e=x
		https://onedrive.live.com/?id=abc https://www.facebook.com/photo/?fbid=1
		https://m.facebook.com/photo.php?fbid=1 https://www.pinterest.com/pin/1/ https://pin.it/abc
		https://de.pinterest.com/pin/1/ https://wetransfer.com/downloads/abc https://we.tl/t-abc
		https://share.icloud.com/photos/abc https://www.icloud.com/iclouddrive/abc#a
		https://www.flickr.com/photos/a/1/ https://flic.kr/p/abc https://x.com/a/status/1/photo/1
		https://twitter.com/a/status/1 https://unsplash.com/photos/abc https://www.pexels.com/photo/a-1/
		https://www.pexels.com/pt-br/photo/a-1/ https://www.canva.com/design/abc/view
		https://en.wikipedia.org/wiki/File:A.png https://commons.wikimedia.org/wiki/File:A.png
		https://app.box.com/s/abc https://mega.nz/file/abc#d https://t.me/a/1 https://share.google/abc
		https://gitlab.com/a/b/-/blob/main/a.png https://www.google.com/url?q=https://a.com/a.png
		https://www.google.com/search?q=a https://imageshack.com/i/abc https://app.box.com/file/1
		https://drive.google.com/u/0/file/d/1abc/view https://drive.google.com/u/1/open?id=1abc
		https://bitbucket.org/a/b/src/main/a.png https://huggingface.co/datasets/a/b/blob/main/a.png
		https://giphy.com/gifs/abc https://tenor.com/view/abc
	`),
)('%s leads to a page', (url) => {
	expect(about(url)).toEqual([
		expect.stringMatching(
			/^'Image URL' leads to a page that shows an image, .* \[item 1\]\. Use a direct download link/,
		),
	]);
});

test.each(
	words(`
		X-Amz-Date=20260101T000000Z&X-Amz-Expires=3600 AWSAccessKeyId=A&Expires=1767229200&Signature=ab
		X-Amz-Expires=3600&X-Amz-Signature=ab&X-Amz-Date=20260101T000000Z#x expires=1767229200&sig=ab
		X-Goog-Date=20260101T000000Z&X-Goog-Expires=3600 x-amz-date=20260101T000000Z&x-amz-expires=3600
		ex=6955c710&is=69547590&hm=ab oh=ab&oe=6955C710 exp=1767229200&hmac=ab
		sv=2024-11-04&se=2026-01-01T01%3A00%3A00Z&sig=ab
	`),
)('a signed link with %s has expired', (query) => {
	expect(about(`https://example.com/a.png?${query}`)).toEqual([
		"The link in 'Image URL' has expired [item 1]. It expired on 2026-01-01T01:00:00.000Z. Get a new one.",
	]);
});

test('an address copied from a web page is told', () => {
	expect(about('https://example.com/a.png?x=1&amp;y=2')).toEqual([
		expect.stringContaining('contains &\u2060amp;, which stands for & in a web page'),
	]);
});

test.each(
	words(`
		https://example.com/a.png?x=1&y=2 https://example.com/a.png?from=svg
		https://example.com/convert/heic? https://example.com/a.png?title=logo.svg
		https://drive.google.com/uc?export=download&id=1abc
		https://www.dropbox.com/s/abc/a.png?dl=1 https://dl.dropboxusercontent.com/s/abc/a.png
		https://i.imgur.com/abc.png https://raw.githubusercontent.com/owner/repo/main/a.png
		https://i.ibb.co/abc/a.png https://scontent.cdninstagram.com/v/a.jpg https://i.pinimg.com/a.jpg
		https://live.staticflickr.com/1/a.jpg https://pbs.twimg.com/media/a?format=jpg
		https://contoso.sharepoint.com/a.png?download=1 https://gyazo.com/abc.png
		https://www.google.com/images/a.png https://box.com/status/a.png https://notibb.co/abc
		https://example.com/a.png?X-Amz-Date=20980101T000000Z&X-Amz-Expires=604800
		https://example.com/a.png?X-Amz-Date=20260101T000000Z https://example.com/a.png?Expires=4000000000
		https://example.com/a.png?se=2099-01-01 https://example.com/a.png?exp=2&expires=0
		https://example.com/a.png?expires=never https://example.com/Expires=1767229200/a.png
		https://unsplash.com/photos/abc/download?force=true https://dropbox.company.com/s/a.png
		https://upload.wikimedia.org/a.png https://dropbox.example.com/box.com/s/a.png
		https://gitlab.com/a/b/-/raw/main/a.png https://images.pexels.com/photos/1/a.jpg
		https://example.com/a.png?ex=20200101 https://example.com/a.png?hm=1&ex=soon
		https://cdn.example.com/a.png?oe=F0000000&oh=1 https://box.com/shared/static/a.png
		https://bitbucket.org/a/b/raw/main/src/a.png https://huggingface.co/a/b/resolve/main/blob/a.png
		https://media.giphy.com/media/abc/giphy.gif https://example.com/svg/a.jpg image/png image/jpeg image/webp
	`),
)('%s gets no hint', (url) => expect(about(url)).toEqual([]));
