import type { INodeParameters } from 'n8n-workflow';

import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../../support/engine';
import { useScriptedServer } from '../../../support/scriptedServer';

const PNG =
	'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

const server = useScriptedServer();

function execute(parameters: INodeParameters = {}, more: Partial<NodeRun> = {}) {
	return runNode({
		parameters: { operation: 'getStatus', ...parameters },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
}

const jsonOf = ({ outputs }: NodeResult) => outputs[0].map(({ json }) => json);

test('outputs one item per input item, paired', async () => {
	server.respondWith({ body: { is_connected: true } });
	const result = await execute({}, { items: [{}, {}] });
	expect(jsonOf(result)).toEqual([{ is_connected: true }, { is_connected: true }]);
	expect(result.outputs[0].map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(result.outputs[0][0].binary).toBeUndefined();
});

test('outputs the QR code as data and as picture', async () => {
	server.respondWith({ body: { qr: PNG } });
	const { outputs } = await execute();
	expect(outputs[0]).toMatchObject([
		{
			json: { is_connected: false, qr: PNG },
			binary: { qr: { mimeType: 'image/png', fileName: 'qr.png', data: PNG.split(',')[1] } },
			pairedItem: { item: 0 },
		},
	]);
});

test('shows one hint in the output about how to scan the QR code', async () => {
	const countHints = async () =>
		(await execute({}, { items: [{}, {}, {}] })).stored.split('scan the QR code').length - 1;
	server.respondWith({ body: { qr: PNG } });
	expect(await countHints()).toBe(1);
	server.respondWith({ body: { is_connected: true } });
	expect(await countHints()).toBe(0);
});

test('says that a QR code which is a text cannot be shown as a picture', async () => {
	const body = { is_connected: false, qr: '2@abcdefgh,ijkl' };
	server.respondWith({ body });
	const result = await execute({}, { items: [{}, {}] });
	expect(jsonOf(result)).toEqual([body, body]);
	expect(result.stored.split('gives no picture of the QR code').length - 1).toBe(1);
});

test('as a tool of an agent outputs the QR code only as picture, because the model gets the data', async () => {
	server.respondWith({ body: { qr: PNG } });
	const settings = { type: 'n8n-nodes-messaging-account.messagingAccountTool' };
	const { outputs } = await execute({}, { settings });
	expect(outputs[0]).toMatchObject([{ binary: { qr: { mimeType: 'image/png' } } }]);
	expect(outputs[0][0].json).toEqual({ is_connected: false });
});

test('puts the picture in the named field', async () => {
	server.respondWith({ body: { qr: PNG } });
	const { outputs } = await execute({ binaryPropertyName: '\u200bpicture ' });
	expect(Object.keys(outputs[0][0].binary ?? {})).toEqual(['picture']);
});

test.each([' ', '={{ null }}'])('asks for the name of the field if it is %j', async (name) => {
	const { error } = await execute({ binaryPropertyName: name });
	expect(error?.message).toContain("'Put QR Code in Field'");
	expect(error?.description).toContain('e.g. qr');
	expect(server.requests).toEqual([]);
});

test.each([
	{ is_connected: true, phone: 'x', nested: { a: [1] } },
	{ is_connected: false, reason: 'starting' },
])('passes on other fields of the response: %j', async (body) => {
	server.respondWith({ body });
	expect(jsonOf(await execute())).toEqual([body]);
});
