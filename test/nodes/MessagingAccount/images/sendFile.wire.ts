import type { IBinaryData, IBinaryKeyData, IDataObject } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { useBinaryDataStore } from '../../../support/binaryDataStore';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { useProcessedDataStore } from '../../../support/processedDataStore';
import { useScriptedServer } from '../../../support/scriptedServer';
import { samplePicture } from '../../../../tools/embeddedService/samplePicture';

const CONTINUE = { onError: 'continueRegularOutput' } as const;

const server = useScriptedServer();
const files = useBinaryDataStore();
useProcessedDataStore();

beforeEach(() => server.respondWith({ body: { id: 'm1' } }));

function send(
	items: IBinaryKeyData[],
	options: IDataObject = {},
	{ parameters, ...run }: Partial<NodeRun> = {},
): Promise<NodeResult> {
	return runNode({
		parameters: {
			operation: 'sendImage',
			imageSource: 'binary',
			number: '49151001',
			options,
			...parameters,
		} as NodeRun['parameters'],
		files: items,
		credential: { baseUrl: server.url, ...CREDENTIAL },
		settings: CONTINUE,
		...run,
	});
}

const sentUrls = () => server.requests.map(({ body }) => (body as { url: string }).url);
const errorOf = ({ outputs }: NodeResult, i = 0) => outputs[0][i].json.error as IDataObject;
const decode = (dataUri: string) => Buffer.from(dataUri.split(',')[1], 'base64');
const inMemory = (bytes: Buffer, about: Partial<IBinaryData> = {}) => ({
	data: bytes.toString('base64'),
	mimeType: 'image/png',
	...about,
});

test('neither a file nor a URL is refused, and nothing is sent', async () => {
	const parameters = { imageSource: '={{ "link" }}', url: 'https://example.com/a.png' };
	expect(errorOf(await send([{}], {}, { parameters }))).toMatchObject({
		message: expect.stringContaining("'Image From' has no 'link'") as string,
		description: expect.stringContaining('Choose Input Data Field or URL.') as string,
		delivery: 'notSent',
	});
	expect(server.requests).toEqual([]);
});

test.each(['link', 'dataUri'])(
	'a dry run tells that the service could not follow a link, and makes none (%s)',
	async (handOverAs) => {
		const data = await files.store(samplePicture());
		const credential = { baseUrl: 'https://service.example.com', ...CREDENTIAL };
		const result = await send([{ data }], { dryRun: true, handOverAs }, { credential });
		const failed = handOverAs === 'link';
		expect(result.stored.includes('The service cannot follow a link to http://127.0.0.1')).toBe(
			failed,
		);
		expect(result.stored).not.toContain('binary-data/signed');
	},
);

describe('a link', () => {
	test('gives the service the very bytes of the file', async () => {
		const data = await files.store(samplePicture());
		await send([{ data }]);
		const [link] = sentUrls();
		expect(link).toMatch(/\/binary-data\/signed\?token=/);
		expect(await files.follow(link)).toEqual(samplePicture());
	});

	test.each([
		[{}, 60],
		[{ linkExpiresAfter: 2 }, 2],
	])('expires: %j', async (options, minutes) => {
		await send([{ data: await files.store(samplePicture()) }], options);
		const [, payload] = sentUrls()[0].split('token=')[1].split('.');
		const { iat, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
			iat: number;
			exp: number;
		};
		expect(exp - iat).toBe(minutes * 60);
	});

	test.each([
		[
			'a response',
			200,
			(url: string) => ({ id: 'm1', url, note: `sent ${encodeURIComponent(url)}` }),
		],
		['a refusal', 422, (url: string) => ({ message: `cannot fetch ${url}` })],
		['a response without an id', 200, (url: string) => ({ [url]: 1 })],
	])('stays out of what n8n stores: %s repeats it', async (_what, status, respond) => {
		server.onRequest(({ body }) => ({ status, body: respond((body as { url: string }).url) }));
		const { stored } = await send([{ data: await files.store(samplePicture()) }]);
		const [, token] = sentUrls()[0].split('token=');
		expect(token.length).toBeGreaterThan(100);
		expect(stored).not.toContain(token.split('.')[2]);
		expect(stored).not.toContain(token.slice(0, 60));
	});

	test.each([
		['that n8n has no type of', 'application/octet-stream', 'photo'],
		['with the type of another image', 'image/jpeg', 'photo.jpg'],
		['whose type is no registered one', 'image/jpg', 'photo.jpg'],
		['whose type is in capitals', 'IMAGE/PNG', 'photo.png'],
	])('serves the type of the bytes of a file %s', async (_which, mimeType, fileName) => {
		const data = await files.store(samplePicture(), { mimeType, fileName });
		await send([{ data }, { data }]);
		const links = sentUrls();
		expect(await files.describe(links[0])).toMatchObject({ mimeType: 'image/png', fileName });
		expect(await files.follow(links[1])).toEqual(samplePicture());
		// The copy is made once.
		expect(files.reads).toEqual([data.id, data.id]);
	});

	test('leads to a copy of a file that a Code node has in the item', async () => {
		const data = inMemory(samplePicture(), { mimeType: 'text/plain' });
		await send([{ data }]);
		expect(await files.describe(sentUrls()[0])).toMatchObject({ mimeType: 'image/png' });
		expect(await files.follow(sentUrls()[0])).toEqual(samplePicture());
	});

	test('leads to a copy of a data URI that a Code node has in the item', async () => {
		const data = {
			data: `data:image/png;base64,${samplePicture().toString('base64')}`,
			mimeType: '',
		};
		await send([{ data }]);
		expect(await files.follow(sentUrls()[0])).toEqual(samplePicture());
	});

	test('reads a file that many items have only once', async () => {
		const data = await files.store(samplePicture());
		await send(Array.from({ length: 5 }, () => ({ data })));
		expect(sentUrls()).toHaveLength(5);
		expect(files.reads).toEqual([data.id]);
	});
});

test('the name of the field is cleaned of invisible characters', async () => {
	const parameters = { binaryPropertyName: '\u200bdata\u00a0' };
	await send([{ data: await files.store(samplePicture()) }], {}, { parameters });
	expect(sentUrls()).toHaveLength(1);
});

describe('a data URI', () => {
	const options = { handOverAs: 'dataUri' };

	test('has the very bytes of the file, on disk or in memory', async () => {
		const onDisk = await files.store(samplePicture());
		await send(
			[{ data: onDisk }, { data: inMemory(Buffer.from('GIF89a'), { mimeType: 'image/gif' }) }],
			options,
		);
		const [first, second] = sentUrls();
		expect(first).toMatch(/^data:image\/png;base64,/);
		expect(decode(first)).toEqual(samplePicture());
		expect(second).toBe('data:image/gif;base64,R0lGODlh');
	});

	test('has each its own file, although files in memory have no ID', async () => {
		const unnamed = (bytes: Buffer) => inMemory(bytes, { mimeType: 'application/octet-stream' });
		const gif = unnamed(Buffer.from('GIF89a'));
		await send([{ data: unnamed(samplePicture()) }, { data: gif }], options);
		expect(sentUrls().map((url) => url.split(';')[0])).toEqual([
			'data:image/png',
			'data:image/gif',
		]);
	});

	test('has the type of the image, if the file has none', async () => {
		const data = await files.store(samplePicture(), { mimeType: 'application/octet-stream' });
		await send([{ data }], options);
		expect(sentUrls()[0]).toMatch(/^data:image\/png;/);
	});
});

describe('nothing is sent, and the message says what to do, if', () => {
	test('the item has no such field', async () => {
		const data = await files.store(samplePicture());
		const result = await send([{ photo: data, scan: data }, {}]);
		expect(errorOf(result)).toMatchObject({
			message: "There is no file in the field 'data' [item 0]",
			description: 'This item has files in: photo, scan. The image was not sent.',
			delivery: 'notSent',
		});
		expect(errorOf(result, 1).description).toMatch(/^This item has no files\. Connect a node/);
		expect(server.requests).toEqual([]);
	});

	test('a JSON field with files is named, too', async () => {
		const data = await files.store(samplePicture());
		const items = [{ name: 'Ada', scan: data }] as unknown as IDataObject[];
		const result = await send([{}], {}, { items });
		expect(errorOf(result).description).toMatch(/^This item has files in: scan\. /);
	});

	test.each([['   '], ['={{ 7 }}'], ['={{ $json.none }}']])(
		'the name of the field is %j',
		async (binaryPropertyName) => {
			const data = await files.store(samplePicture());
			const result = await send([{ photo: data }], {}, { parameters: { binaryPropertyName } });
			expect(errorOf(result)).toMatchObject({
				message: "'Input Data Field Name' is not the name of a field",
				description: 'This item has files in: photo. The image was not sent.',
			});
			expect(server.requests).toEqual([]);
		},
	);

	const testFilesAsValues = N8N_FEATURES.filesAsValues ? test : test.skip;

	testFilesAsValues('an expression gives the file itself, which is no image', async () => {
		const about = { mimeType: 'text/plain', fileName: 'notes.txt' };
		const data = await files.store(Buffer.from('Hello'), about);
		const parameters = { binaryPropertyName: '={{ $binary.data }}' };
		expect(errorOf(await send([{ data }], {}, { parameters }))).toMatchObject({
			message: "'notes.txt' is not an image: it begins like text",
		});
	});

	test('a data URI would have more than 20 MB', async () => {
		const data = inMemory(Buffer.concat([samplePicture(), Buffer.alloc(15.5 * 1024 * 1024)]));
		const result = await send([{ data }], { handOverAs: 'dataUri' });
		expect(errorOf(result).message).toMatch(
			/^The file is too large for a data URI, which would have 20\.7 MB/,
		);
		expect(server.requests).toEqual([]);
	});

	test.each([
		['%PDF-1.7', { mimeType: 'application/pdf' }, "The file in 'data'", 'a PDF'],
		['Hello', { fileName: 'out.png' }, "'out.png'", 'text'],
		['<!doctype html>', { fileName: 'photo.jpg' }, "'photo.jpg'", 'a web page'],
		['data:image/png;base64,AAAA', {}, "The file in 'data'", 'a data URI, kept as text'],
	])('the file is no image, whatever n8n has of it: %s', async (content, about, which, what) => {
		const data = await files.store(Buffer.from(content), about);
		for (const options of [{}, { dryRun: true }]) {
			expect(errorOf(await send([{ data }], options))).toMatchObject({
				message: `${which} is not an image: it begins like ${what}`,
				description:
					"Enter the field of an image in 'Input Data Field Name', or look at the node that the file comes from. The image was not sent.",
				delivery: 'notSent',
			});
		}
		expect(server.requests).toEqual([]);
	});

	test('the file is empty', async () => {
		const data = await files.store(Buffer.alloc(0));
		expect(errorOf(await send([{ data }]))).toMatchObject({
			message: "The file in 'data' is empty",
			description:
				'Look at the output of the node that the file comes from. The image was not sent.',
		});
		expect(server.requests).toEqual([]);
	});

	test('n8n no longer has the file', async () => {
		const data = await files.store(samplePicture());
		files.clear();
		const result = await send([{ data }]);
		expect(errorOf(result)).toMatchObject({
			message: "n8n no longer has the file in 'data'",
			description:
				'Execute the workflow again, from the node that the file comes from. The image was not sent.',
		});
		expect(result.stored).not.toContain('messaging-account-files-');
		expect(server.requests).toEqual([]);
	});

	test('the node is a tool of an AI agent', async () => {
		const type = 'n8n-nodes-messaging-account.messagingAccountTool';
		const result = await send([{}], {}, { settings: { ...CONTINUE, type } });
		expect(errorOf(result)).toMatchObject({
			message: 'The tools of an AI agent get no files',
			description: "Choose URL in 'Image From'. The image was not sent.",
		});
		expect(server.requests).toEqual([]);
	});
});

describe('the file decides whether a send is the same', () => {
	test('a retry does not send it again, although its link is another one', async () => {
		const { context } = await send([{ data: await files.store(samplePicture()) }]);
		const { outputs } = await send([{ data: await files.store(samplePicture()) }], {}, { context });
		expect(server.requests).toHaveLength(1);
		expect(outputs[0][0].json).toEqual({ id: 'm1' });
	});

	test('however it is handed over, and wherever n8n keeps it', async () => {
		const { context } = await send([{ data: await files.store(samplePicture()) }]);
		const options = { handOverAs: 'dataUri' };
		await send([{ data: inMemory(samplePicture()) }], options, { context });
		expect(server.requests).toHaveLength(1);
	});

	test('another file is another version: a hint says so', async () => {
		const { context } = await send([{ data: await files.store(samplePicture()) }]);
		const hint = '1 recipient had received an earlier version';
		const same = await send([{ data: await files.store(samplePicture()) }], {}, { context });
		expect(same.stored).not.toContain(hint);
		const other = await files.store(Buffer.concat([samplePicture(), Buffer.from('!')]));
		expect((await send([{ data: other }], {}, { context })).stored).toContain(hint);
		expect(server.requests).toHaveLength(1);
	});

	test('an uncertain send stays uncertain', async () => {
		server.onRequest(() => (_response, socket) => socket.destroy());
		const { context } = await send([{ data: await files.store(samplePicture()) }]);
		const retry = await send([{ data: await files.store(samplePicture()) }], {}, { context });
		expect(server.requests).toHaveLength(1);
		expect(errorOf(retry).delivery).toBe('unknown');
	});
});
