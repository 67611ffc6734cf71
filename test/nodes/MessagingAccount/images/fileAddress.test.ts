import type { IBinaryData, IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { readFileWithAddress } from '../../../../nodes/MessagingAccount/images/fileAddress';
import type { Account } from '../../../../nodes/MessagingAccount/secrets/account';
import { createReader } from '../../../support/readParameter';

const MB = 1024 * 1024;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const IN_MEMORY = { data: PNG.toString('base64'), mimeType: 'image/png' };
const STORED = { ...IN_MEMORY, id: 'filesystem-v2:1' };
const DATA_URI = { handOverAs: 'dataUri' };

const createSignedUrl =
	(n8n = 'https://n8n.example.com') =>
	(_file: IBinaryData, expiresIn: string) =>
		`${n8n}/rest/binary-data/signed?token=a-token&for=${expiresIn}`;

/** Reads the file in the field "photo", and returns what the service gets. */
async function handOver(
	options: IDataObject,
	data: IBinaryData = STORED,
	createBinarySignedUrl = createSignedUrl(),
	baseUrl = 'https://service.example.com',
) {
	const helpers = {
		assertBinaryData: () => data,
		getBinaryStream: async () => [Buffer.from(data.data, 'base64')],
		prepareBinaryData: async () => data,
		createBinarySignedUrl,
	};
	const parameters: IDataObject = { binaryPropertyName: 'photo' };
	for (const [name, value] of Object.entries(options)) parameters[`options.${name}`] = value;
	const read = createReader((name, _itemIndex, fallback) => parameters[name] ?? fallback);
	const file = await readFileWithAddress(read, 0, { helpers } as unknown as IExecuteFunctions);
	return await file.createAddress({ baseUrl } as Account);
}

test.each([
	[{}, '60m'],
	[{ linkExpiresAfter: 1 }, '1m'],
	[{ linkExpiresAfter: '30' }, '30m'],
])('with %j, a link expires after %s, and its token is a secret', async (options, expiresIn) => {
	expect(await handOver(options)).toEqual({
		url: `https://n8n.example.com/rest/binary-data/signed?token=a-token&for=${expiresIn}`,
		secret: 'a-token',
	});
});

describe('a file cannot be handed over', () => {
	const EXPIRY = "'Link Expires After (Minutes)' is not a whole number from 1 to 10080";
	const NO_CHOICE = "'pigeon' is not a choice of 'Send File As'";
	const NO_LINK = 'There is no link to this file, because n8n keeps it in memory';
	const REFUSED = "n8n does not create a link to the file in 'photo'";
	const refuse = () => {
		throw new Error('/home/secret/path');
	};

	type Refusal = [options: IDataObject, message: string, advice: RegExp];

	test.each<[...Refusal, data?: IBinaryData, createUrl?: typeof refuse]>([
		...[0, 10_081, 1.5, -1, 'soon'].map(
			(linkExpiresAfter): Refusal => [{ linkExpiresAfter }, EXPIRY, /^Enter/],
		),
		[{ handOverAs: 'pigeon' }, NO_CHOICE, /^Choose Link or Data URI\.$/],
		[{}, NO_LINK, /^Choose Data URI .*N8N_DEFAULT_BINARY_DATA_MODE/, IN_MEMORY],
		[{}, REFUSED, /^Choose Data URI in 'Send File As'\.$/, STORED, refuse],
	])('with %j: %s', async (...[options, message, advice, data, createUrl]) => {
		const description = expect.stringMatching(advice) as string;
		const handedOver = handOver(options, data, createUrl);
		await expect(handedOver).rejects.toMatchObject({ message, description });
	});

	test.each([
		[20 * MB - 20, true],
		[20 * MB - 24, false],
	])('as a data URI of %d characters and its start: %j', async (base64Length, isRefused) => {
		const bytes = Buffer.concat([PNG], (base64Length * 3) / 4);
		const data = { ...STORED, data: bytes.toString('base64') };
		await expect(handOver({}, data)).resolves.toMatchObject({ secret: 'a-token' });
		const { url } = await handOver(DATA_URI, data).catch((error: Error) => ({ url: error }));
		if (!isRefused) return expect(url).toHaveLength(20 * MB - 2);
		expect(url).toMatchObject({
			message: expect.stringMatching(
				/^The file is too large for a data URI, .* 20\.0 MB: /,
			) as string,
			description: expect.stringContaining("Choose Link in 'Send File As'") as string,
		});
	});

	const ADDRESSES = ['http://localhost:5678', 'http://127.0.0.1:5678', 'http://0.0.0.0:5678'];
	test.each(ADDRESSES)('as a link to %s, if the service is elsewhere', async (address) => {
		const create = (baseUrl?: string) => handOver({}, STORED, createSignedUrl(address), baseUrl);
		await expect(create()).rejects.toMatchObject({
			message: expect.stringContaining(`a link to ${address}`) as string,
			description: expect.stringContaining('WEBHOOK_URL') as string,
		});
		await expect(create('http://LOCALHOST:3000')).resolves.toMatchObject({ secret: 'a-token' });
	});
});
