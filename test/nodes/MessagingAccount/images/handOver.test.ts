import type { IExecuteFunctions } from 'n8n-workflow';

import {
	checkHandOver,
	createImageAddress,
	readHandOver,
} from '../../../../nodes/MessagingAccount/images/handOver';
import type { ImageFile } from '../../../../nodes/MessagingAccount/images/imageFile';
import { describeInputError } from '../../../support/inputError';
import { createReader } from '../../../support/readParameter';

const MB = 1024 * 1024;
const FILE: ImageFile = {
	field: 'photo',
	data: { id: 'filesystem-v2:1', data: 'filesystem-v2', mimeType: 'image/png' },
	mimeType: 'image/png',
	size: 1,
	hash: '',
};
const LINK = { as: 'link', linkExpiresAfter: 60 } as const;
const DATA_URI = { as: 'dataUri', linkExpiresAfter: 60 } as const;

/** A context whose links have this address. */
const contextAt = (address: string, more: object = {}) =>
	({
		helpers: {
			createBinarySignedUrl: (_file: unknown, expiresIn: string) =>
				`${address}/rest/binary-data/signed?token=a-token&for=${expiresIn}`,
			...more,
		},
	}) as unknown as IExecuteFunctions;

const readOptions = (options: Record<string, unknown>) =>
	readHandOver(
		createReader((name, _itemIndex, fallback) => options[name.replace('options.', '')] ?? fallback),
		0,
	);

describe('the options', () => {
	test('are a link for an hour by default', () => {
		expect(readOptions({})).toEqual(LINK);
	});

	test.each([1, 10_080, '30'])('a link may expire after %j minutes', (minutes) => {
		expect(readOptions({ linkExpiresAfter: minutes }).linkExpiresAfter).toBe(Number(minutes));
	});

	test.each([0, 10_081, 1.5, -1, 'soon'])('a link may not expire after %j minutes', (minutes) => {
		expect(describeInputError(() => readOptions({ linkExpiresAfter: minutes }))).toMatch(
			/^'Link Expires After \(Minutes\)' is not a whole number from 1 to 10080: Enter/,
		);
	});

	test('have no third way', () => {
		expect(describeInputError(() => readOptions({ handOverAs: 'pigeon' }))).toBe(
			"'pigeon' is not a choice of 'Send File As': Choose Link or Data URI.",
		);
	});
});

describe('a file cannot be handed over', () => {
	test('as a link, if n8n keeps it in memory', async () => {
		const data = { data: 'AAAA', mimeType: 'image/png' };
		const context = contextAt('', { prepareBinaryData: async () => data });
		const file = { ...FILE, data };
		await expect(createImageAddress(context, LINK, file, 'https://a')).rejects.toMatchObject({
			message: 'There is no link to this file, because n8n keeps it in memory',
			description: expect.stringMatching(
				/^Choose Data URI .*N8N_DEFAULT_BINARY_DATA_MODE/,
			) as string,
		});
		expect(() => checkHandOver(DATA_URI, file)).not.toThrow();
	});

	test.each([
		[20 * MB - 20, true],
		[20 * MB - 24, false],
	])('as a data URI of %d characters and its start: %j', (base64Length, isRefused) => {
		const file = { ...FILE, size: (base64Length * 3) / 4 };
		const check = () => checkHandOver(DATA_URI, file);
		expect(() => checkHandOver(LINK, file)).not.toThrow();
		if (!isRefused) return expect(check).not.toThrow();
		expect(describeInputError(check)).toMatch(
			/^The file is too large for a data URI, .* 20\.0 MB: .*Choose Link in 'Send File As'/,
		);
	});

	test('as a link, if n8n refuses to create it', async () => {
		const context = contextAt('', {
			createBinarySignedUrl() {
				throw new Error('/home/secret/path');
			},
		});
		await expect(createImageAddress(context, LINK, FILE, 'https://a')).rejects.toMatchObject({
			message: "n8n does not create a link to the file in 'photo'",
			description: "Choose Data URI in 'Send File As'.",
		});
	});

	test.each([
		'http://localhost:5678',
		'http://127.0.0.1:5678',
		'http://[::1]:5678',
		'http://n8n.localhost',
		'http://0.0.0.0:5678',
	])('as a link to %s, if the service is elsewhere', async (address) => {
		const create = (baseUrl: string) => createImageAddress(contextAt(address), LINK, FILE, baseUrl);
		await expect(create('https://service.example.com')).rejects.toMatchObject({
			message: expect.stringContaining(`a link to ${address}`) as string,
			description: expect.stringContaining('WEBHOOK_URL') as string,
		});
		await expect(create('http://LOCALHOST:3000')).resolves.toMatchObject({ secret: 'a-token' });
	});
});

test('a link expires after the minutes of the option, and its token is a secret', async () => {
	const context = contextAt('https://n8n.example.com');
	const handOver = { as: 'link', linkExpiresAfter: 5 } as const;
	expect(await createImageAddress(context, handOver, FILE, 'https://a')).toEqual({
		url: 'https://n8n.example.com/rest/binary-data/signed?token=a-token&for=5m',
		secret: 'a-token',
	});
});
