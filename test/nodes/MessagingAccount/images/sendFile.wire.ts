import type { IBinaryData, IBinaryKeyData, IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, executeAt, type NodeResult, type NodeRun } from '../../../support/engine';
import { useBinaryDataStore } from '../../../support/binaryDataStore';
import { N8N_FEATURES } from '../../../support/n8nFeatures';
import { CONTINUE, TOOL, useSends } from '../../../support/sends';
import { samplePicture } from '../../../../tools/embeddedService/samplePicture';

const GIF = Buffer.from('GIF89a');

const { server } = useSends();
const files = useBinaryDataStore();

beforeEach(() => server.respondWith({ body: { id: 'm1' } }));

const execute = executeAt(server, { settings: CONTINUE });

const send = async (
	files: IBinaryKeyData[],
	options: IDataObject = {},
	{ parameters, ...run }: Partial<NodeRun> = {},
) =>
	await execute('sendImage', { imageSource: 'binary', options, ...parameters }, { files, ...run });

const sentUrls = () => server.requests.map(({ body }) => (body as { url: string }).url);
const errorOf = ({ json }: NodeResult) => json[0].error as IDataObject;
const inMemory = (bytes: Buffer, about: Partial<IBinaryData> = {}) => ({
	data: bytes.toString('base64'),
	mimeType: 'image/png',
	...about,
});

test.each(['link', 'dataUri'])('a dry run tells if no link would work: %s', async (handOverAs) => {
	const data = await files.store(samplePicture());
	const credential = { baseUrl: 'https://service.example.com', ...CREDENTIAL };
	const result = await send([{ data }], { dryRun: true, handOverAs }, { credential });
	const fails = result.stored.includes('The service cannot follow a link to http://127.0.0.1');
	expect(fails).toBe(handOverAs === 'link');
	expect(result.stored).not.toContain('binary-data/signed');
});

describe('a link', () => {
	test('gives the service the very bytes of the file, for the minutes of the option', async () => {
		const data = await files.store(samplePicture());
		await send([{ data }], { linkExpiresAfter: 2 });
		const [link] = sentUrls();
		expect(link).toMatch(/\/binary-data\/signed\?token=/);
		expect(files.reads).toEqual([data.id]);
		expect(await files.follow(link)).toEqual(samplePicture());
		const payload = Buffer.from(link.split('token=')[1].split('.')[1], 'base64url').toString();
		const { iat, exp } = JSON.parse(payload) as { iat: number; exp: number };
		expect(exp - iat).toBe(2 * 60);
	});

	test.each([
		['a response', 200, (url: string) => ({ id: 'm1', url, note: encodeURIComponent(url) })],
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

	test('serves the type of the bytes of a file, from one copy', async () => {
		const about = { mimeType: 'image/jpeg', fileName: 'photo.jpg' };
		const data = await files.store(samplePicture(), about);
		await send([{ data }, { data }]);
		const links = sentUrls();
		expect(await files.describe(links[0])).toMatchObject({ ...about, mimeType: 'image/png' });
		expect(await files.follow(links[1])).toEqual(samplePicture());
		expect(files.reads).toEqual([data.id, data.id]);
	});

	test.each([
		['a file', '', 'text/plain'],
		['a data URI', 'data:image/png;base64,', ''],
	])('leads to a copy of %s that a Code node has in the item', async (_what, prefix, mimeType) => {
		const data = { data: `${prefix}${samplePicture().toString('base64')}`, mimeType };
		await send([{ data }]);
		expect(await files.describe(sentUrls()[0])).toMatchObject({ mimeType: 'image/png' });
		expect(await files.follow(sentUrls()[0])).toEqual(samplePicture());
	});
});

test('a data URI has the bytes and the type of its own file, with or without an ID and a type, and invisible characters beside its name are ignored', async () => {
	const mimeType = 'application/octet-stream';
	const onDisk = await files.store(samplePicture(), { mimeType });
	const items = [onDisk, inMemory(samplePicture(), { mimeType }), inMemory(GIF, { mimeType })];
	await send(
		items.map((data) => ({ data })),
		{ handOverAs: 'dataUri' },
		{ parameters: { binaryPropertyName: '\u200bdata\u00a0' } },
	);
	const picture = `data:image/png;base64,${samplePicture().toString('base64')}`;
	expect(sentUrls()).toEqual([picture, picture, 'data:image/gif;base64,R0lGODlh']);
});

describe('nothing is sent, and the message says what to do:', () => {
	const photo = inMemory(samplePicture());
	const empty = inMemory(Buffer.alloc(0));
	const pdf = inMemory(Buffer.from('%PDF-1.7'), { mimeType: 'application/pdf' });
	const text = inMemory(Buffer.from('Hello'), { fileName: 'out.png' });
	const page = inMemory(Buffer.from('<!doctype html><p>'));
	const NO_SOURCE = { imageSource: '={{ "link" }}', url: 'https://example.com/a.png' };
	const CHOOSE = 'Choose Input Data Field or URL.';
	const NO_FIELD = "There is no file in the field 'data'";
	const NO_NAME = "'Input Data Field Name' is not the name of a field";
	const IS_PDF = "The file in 'data' is not an image: it begins like a PDF";
	const CONNECT =
		'This item has no files. Connect a node that outputs one, e.g. a form or a download.';
	const ENTER_FIELD =
		"Enter the field of an image in 'Input Data Field Name', or check the node that the file comes from.";
	const LOOK = 'Check the output of the node that the file comes from.';
	const GONE = "n8n no longer has the file in 'data'";
	const EXECUTE_AGAIN = 'Execute the workflow again, from the node that the file comes from.';
	const IS_PAGE = "The file in 'data' is not an image: it begins like a web page";
	const LINK = 'Use a direct link to the image in the node that downloads the file.';
	const [ONE, TWO] = ['photo', 'photo, scan'].map((names) => `This item has files in: ${names}.`);

	// Of each item its files, the parameters, and the message and the description of the error.
	test.each<[string, IBinaryKeyData, INodeParameters, message: string, description: string]>([
		['no source', {}, NO_SOURCE, "'link' is not a choice of 'Image From'", CHOOSE],
		['the item has no such field', { photo, scan: photo }, {}, NO_FIELD, TWO],
		['the item has no file', {}, {}, NO_FIELD, CONNECT],
		['the name is blank', { photo }, { binaryPropertyName: '   ' }, NO_NAME, ONE],
		['the name is 7', { photo }, { binaryPropertyName: '={{ 7 }}' }, NO_NAME, ONE],
		['there is no name', { photo }, { binaryPropertyName: '={{ $json.none }}' }, NO_NAME, ONE],
		['a PDF', { data: pdf }, {}, IS_PDF, ENTER_FIELD],
		['a text', { data: text }, {}, "'out.png' is not an image: it begins like text", ENTER_FIELD],
		['a web page', { data: page }, {}, IS_PAGE, LINK],
		['bytes', { data: { ...photo, data: samplePicture() as never } }, {}, GONE, EXECUTE_AGAIN],
		['an empty file', { data: empty }, {}, "The file in 'data' is empty", LOOK],
	])('%s', async (_what, item, parameters, message, description) => {
		for (const options of [{}, { dryRun: true }])
			expect(errorOf(await send([item], options, { parameters }))).toEqual({
				message,
				description: `${description} The image was not sent.`,
				delivery: 'notSent',
			});
		expect(server.requests).toEqual([]);
	});

	test('a JSON field with files is named, too', async () => {
		const scan = await files.store(samplePicture());
		const type = { mimeType: 'image/png' };
		const items = [{ type, scan: { ...scan, data: undefined }, photo }] as unknown as IDataObject[];
		const result = await send([{}], {}, { items });
		expect(errorOf(result).description).toMatch(/^This item has files in: scan, photo\. /);
	});

	const testWithValues = N8N_FEATURES.filesAsValues ? test : test.skip;

	testWithValues.each([
		['Hello', "'notes.txt' is not an image: it begins like text"],
		['', "The file in 'notes.txt' is empty"],
	])('an expression gives the file itself, with %j', async (content, message) => {
		const about = { mimeType: 'text/plain', fileName: 'notes.txt' };
		const data = await files.store(Buffer.from(content), about);
		const parameters = { binaryPropertyName: '={{ $binary.data }}' };
		expect(errorOf(await send([{ data }], {}, { parameters }))).toMatchObject({ message });
	});

	test('n8n no longer has the file', async () => {
		const data = await files.store(samplePicture());
		files.clear();
		const parameters = { binaryPropertyName: '={{ Object.keys($binary)[0] }}' };
		const result = await send([{ data }, { photo: data }], {}, { parameters });
		const description = `${EXECUTE_AGAIN} The image was not sent.`;
		expect(result.json.map(({ error }) => error)).toMatchObject([
			{ message: `${GONE} [item 0]`, description },
			{ message: "n8n no longer has the file in 'photo' [item 1]", description },
		]);
		expect(result.stored).not.toContain('messaging-account-files-');
		expect(server.requests).toEqual([]);
	});

	test('n8n cannot read it once: only this item fails', async () => {
		const data = await files.store(samplePicture());
		server.respondWith({ body: { id: 'm' } });
		files.failOnce();
		const { json } = await send([{ data }, { data }], { handOverAs: 'dataUri' });
		expect(json.map(({ id }) => id)).toEqual([undefined, 'm']);
	});

	test('the node is a tool of an AI agent', async () => {
		const settings = { ...CONTINUE, type: TOOL };
		expect(errorOf(await send([{}], {}, { settings }))).toMatchObject({
			message: 'The tools of an AI agent get no files',
			description: "Choose URL in 'Image From'. The image was not sent.",
		});
		expect(server.requests).toEqual([]);
	});
});

test('the file decides whether a send is the same, wherever it is, with any link: another one is another version, and a hint says so', async () => {
	const { context } = await send([{ data: await files.store(samplePicture()) }]);
	const hint = '1 recipient received, or may have received, an earlier version';
	for (const data of [await files.store(samplePicture()), inMemory(samplePicture())]) {
		const handOverAs = 'id' in data ? 'link' : 'dataUri';
		const retried = { context: structuredClone(context) };
		const { json, stored } = await send([{ data }], { handOverAs }, retried);
		expect(json).toEqual([{ id: 'm1' }]);
		expect(stored).not.toContain(hint);
	}
	const other = await files.store(Buffer.concat([samplePicture(), Buffer.from('!')]));
	const edited = { context: structuredClone(context) };
	expect((await send([{ data: other }], {}, edited)).stored).toContain(hint);
	expect(server.requests).toHaveLength(1);
});
