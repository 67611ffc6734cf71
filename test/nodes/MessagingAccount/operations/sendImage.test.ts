import type { IExecuteFunctions } from 'n8n-workflow';

import {
	readImageUrl,
	sendImage,
} from '../../../../nodes/MessagingAccount/operations/sendImage.operation';
import type { Account } from '../../../../nodes/MessagingAccount/shared/account';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

describe('Image URL', () => {
	test.each([
		'http://example.com/a.png',
		'HTTPS://example.com',
		'https://example.com/a%20b.png?sig=A%2B/=#x',
	])('%s is accepted unchanged', (entered) => {
		expect(readImageUrl(` ${entered} `)).toBe(entered);
	});

	test.each([
		'example.com/a.png',
		'//example.com/a.png',
		'/a.png',
		'ftp://example.com/a.png',
		'file:///a.png',
		'http:example.com',
		'http://',
		'https://exa mple.com',
		'https://example.com/a.png\nhttps://example.com/b.png',
		'https://example.com/a.png, https://example.com/b.png',
		'https://example.com/a.png http://example.com/b.png',
		'ftp://example.com/https://example.com/a.png',
		5,
	])('%j is refused', (entered) => {
		expect(describeInputError(() => readImageUrl(entered))).toMatch(
			/^'.+' is not a web address: .* http:\/\/ or https:\/\//,
		);
	});

	test('the message names the value, on one line and not too long', () => {
		const entered = `a\n${'b'.repeat(100)}`;
		expect(describeInputError(() => readImageUrl(entered))).toContain(
			`'a ${'b'.repeat(58)}…' is not a web address`,
		);
	});

	test.each([
		['a data URI', 'DATA:image/png;base64,AAAA'],
		['a file', { mimeType: 'image/png', data: 'AAAA' }],
		['a file', { mimeType: 'image/png', id: 'filesystem-v2:1', data: 'filesystem-v2' }],
	])('%s is refused with the name of the parameter for it', (what, entered) => {
		expect(describeInputError(() => readImageUrl(entered))).toBe(
			`'Image URL' is ${what}, not a web address: To send a file of the workflow, choose Input Data Field in 'Image From'.`,
		);
	});

	test.each([[['https://example.com/a.png']], [{ url: 'https://example.com/a.png' }], [[]]])(
		'%j is refused as a list or an object',
		(entered) => {
			expect(describeInputError(() => readImageUrl(entered))).toBe(
				"'Image URL' is a list or an object: Select the field that holds the address of one image.",
			);
		},
	);

	test.each(['', '  ', undefined, null])('%j is empty', (entered) => {
		expect(describeInputError(() => readImageUrl(entered))).toMatch(/^'Image URL' is empty: Enter/);
	});
});

describe('Caption', () => {
	async function readCaption(caption: unknown) {
		const entered: Record<string, unknown> = { number: 49151, url: 'https://a', caption };
		const read = createReader(
			(name) => entered[name] ?? (name === 'imageSource' ? 'url' : undefined),
		);
		return (await sendImage.prepare(read, 0, {} as IExecuteFunctions)).send?.caption;
	}

	test.each([
		['Hello\n👋', 'Hello\n👋'],
		[5, '5'],
		['', ''],
		[null, ''],
		[undefined, ''],
	])('%j is %j', async (entered, caption) => {
		expect(await readCaption(entered)).toBe(caption);
	});

	test.each([[{ text: 'a' }], [['a']]])('%j is refused', async (entered) => {
		await expect(readCaption(entered)).rejects.toMatchObject({
			message: "'Caption' is a list or an object",
			description: 'Select the field that holds the text.',
		});
	});
});

test('parameters that are not entered are not in the request', async () => {
	const entered: Record<string, unknown> = { number: '49151', url: 'https://example.com/a.png' };
	const read = (name: string, _itemIndex: number, fallback?: unknown) => entered[name] ?? fallback;
	const prepared = await sendImage.prepare(createReader(read), 0, {} as IExecuteFunctions);
	const request = await prepared.createRequest({} as Account);
	expect(request.body).toEqual(entered);
});
