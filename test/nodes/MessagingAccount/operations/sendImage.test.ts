import type { IExecuteFunctions } from 'n8n-workflow';

import {
	checkImageUrl as check,
	sendImage,
} from '../../../../nodes/MessagingAccount/operations/sendImage.operation';
import type { Account } from '../../../../nodes/MessagingAccount/secrets/account';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

const PICTURE = 'https://example.com/a.png';

describe('Image URL', () => {
	// Between two addresses. One is nothing at all.
	const SEPARATORS = ', · ·,·;·|· | ·,\u00a0· ; ··，·、·&·+·","·<br>·\\n·%0A· (';

	const ADDRESSES = `HTTPS://example.com https://example.com/a%20b.png?sig=A%2B/=#x http://http:8080/a.png
		https://https.example.com//a.png https://example.com/شعار\u200cما.png https://httpstatus.example.com/https.png
		https://proxy.example.com/?url=https://example.com/a.png https://proxy.example.com/?https://example.com/a.png
		https://images.example.com/w_100/https://example.com/a.png https://qr.example.com/?data=See%20https://example.com
		https://chart.example.com/?c={url:'https://example.com/a.png'}
		https://collage.example.com/?urls=https://example.com/1.png,https://example.com/2.png`;

	test.each([...ADDRESSES.split(/\s+/), 'https://example.com/a b,c;d|e.png'])(
		'%s is accepted unchanged',
		(entered) => expect(check(` ${entered} `)).toBe(entered),
	);

	test.each([
		['a zero width space', '\u200bhttps://example.com/a.png\u200b'],
		['a byte order mark', '\ufeffhttps://example.com/a.png'],
		['marks of direction', '\u200ehttps://example.com/a\u200f.png\u202c'],
		['blanks that show', '\u0085\u2800https://example.com/a.png\ufe0f'],
		['a soft hyphen', 'https://exam\u00adple.com/a.png'],
		['spaces that do not break', '\u00a0https://example.com/a.png\u202f'],
		['half an emoji', 'https://example.com/a.png\ud83d'],
	])('is cleaned of %s', (_what, entered) => expect(check(entered)).toBe(PICTURE));

	const NO_ADDRESSES = `example.com/a.png //example.com/a.png ftp://example.com/a.png http:example.com http://
		https:///a.png https://.example.com/a.png`;

	test.each([
		...NO_ADDRESSES.split(/\s+/),
		'https://exa mple.com',
		'https://example.com/a.png\nhttps://example.com/b.png',
		...SEPARATORS.split('·').map((between) => `${PICTURE}${between}http://example.com/b.png`),
		'https://example.com/a.png,www.example.com/b.png',
		'https://example.com/a.png?b=1,https://example.com/b.png',
		'https://example.com/a.png?v=1https://example.com/b.png',
	])('%j is refused', (entered) => {
		expect(describeInputError(() => check(entered))).toMatch(
			/^'.+' is not a web address: .* http:\/\/ or https:\/\//,
		);
	});

	const TWICE = `https://https://example.com/a.png HTTPS://HTTPS://example.com/a.png https:https://example.com/a.png
		http://https//example.com/a.png https//https://example.com/a.png https://https:/example.com/a.png
		https:///https://example.com/a.png`;

	test.each(TWICE.split(/\s+/))('%s begins with a scheme twice', (entered) => {
		expect(describeInputError(() => check(entered))).toBe(
			`'${entered}' begins with https:// twice: Remove one of them.`,
		);
	});

	test('the message names the value, on one line and not too long', () => {
		expect(describeInputError(() => check(`a\n${'b.'.repeat(100)}`))).toContain(
			`'a ${'b.'.repeat(29)}…' is not a web address`,
		);
	});

	const OTHERS = String.raw`
		is a data URI | DATA:image/png;base64,AAAA
		looks like Base64 | iVBORw0KGgoAAAANSUhEUg== | /9j/4AAQSkZJRg | R0lGODlhAQ | UklGRiQAAABXRUJQ
		looks like Base64 | ${'Qk0A'.repeat(30)} | ${`${'Qk0A'.repeat(25)}\n`.repeat(9)}AA==
		is a file on a computer | C:\Users\me\a.png | d:/a.png | file:///a.png | \\server\share\a.png
		is a file on a computer | /home/me/a.png | /Users/me/a.png | ~/a.png | /tmp/a.png
	`.split(/\n\t\t/);

	test.each(
		OTHERS.slice(1).flatMap((row) => {
			const [what, ...entries] = row.trim().split(' | ');
			return entries.map((entered): [string, string] => [entered, what]);
		}),
	)('%j %s', (entered, what) => {
		expect(describeInputError(() => check(entered))).toBe(
			`'Image URL' ${what}, not a web address: To send a file from the workflow, choose Input Data Field in 'Image From'. A form uploads a file, and n8n's Convert to File makes one of Base64. An AI agent can only give the web address of an image.`,
		);
	});

	test.each(['', '  ', '\u200b'])('%j is empty', (entered) => {
		expect(describeInputError(() => check(entered))).toMatch(/^'Image URL' is empty: Enter/);
	});
});

/** Reads the parameters of a send that are entered on Fixed. */
async function prepare(parameters: Record<string, unknown>) {
	const entered: Record<string, unknown> = { number: 49151, url: 'https://a', ...parameters };
	const read = (name: string, _itemIndex: number, fallback?: unknown) => entered[name] ?? fallback;
	return await sendImage.prepare(createReader(read), 0, {} as IExecuteFunctions);
}

test('a file as Image URL is refused with the name of the parameter for it', async () => {
	const url = { mimeType: 'image/png', id: 'filesystem-v2:1', data: 'filesystem-v2' };
	await expect(prepare({ url })).rejects.toMatchObject({
		message: "'Image URL' is a file, not a web address",
		description: expect.stringContaining("choose Input Data Field in 'Image From'") as string,
	});
});

const LISTS = [[PICTURE], { url: PICTURE }, []].map((list) => [list]);
test.each(LISTS)('%j as Image URL is refused as a list or an object', async (url) => {
	await expect(prepare({ url })).rejects.toMatchObject({
		message: "'Image URL' is a list or an object",
		description: 'Select the field that holds the address of one image.',
	});
});

describe('Caption', () => {
	const readCaption = async (caption: unknown) => (await prepare({ caption })).message.caption;

	test.each([
		['Hello\n👋', 'Hello\n👋'],
		['Hello 👋'.slice(0, -1), 'Hello '],
		['\udc4b👋\ud83d👋', '👋👋'],
		[5, '5'],
		['', ''],
		[null, ''],
		[undefined, ''],
		['\u200eשלום 👩\u200d🔧\u00a0', '\u200eשלום 👩\u200d🔧\u00a0'],
		[new Date(Date.UTC(2026, 10, 22, 8)), '2026-11-22T08:00:00.000Z'],
	])('%j is %j', async (entered, caption) => expect(await readCaption(entered)).toBe(caption));

	test.each([[{ text: 'a' }], [['a']], [new Date(NaN)]])('%j is refused', async (entered) => {
		await expect(readCaption(entered)).rejects.toMatchObject({
			message: "'Caption' is a list or an object",
			description: 'Select the field that holds the text.',
		});
	});
});

test('parameters that are not entered are not in the request', async () => {
	const entered = { number: '49151', url: PICTURE };
	const { createRequest } = await prepare(entered);
	expect((await createRequest({} as Account)).body).toEqual(entered);
});
