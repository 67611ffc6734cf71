import { executeAt } from '../../../support/engine';
import { useScriptedServer } from '../../../support/scriptedServer';
import { TOOL } from '../../../support/sends';

const PNG =
	'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';

const server = useScriptedServer();
const execute = executeAt(server);

test('outputs the QR code as data and as picture, in the named field, and one hint about how to scan it', async () => {
	server.respondWith({ body: { qr: PNG } });
	const parameters = { binaryPropertyName: '\u200bpicture ' };
	const { outputs, stored } = await execute('getStatus', parameters, { items: [{}, {}] });
	const picture = { mimeType: 'image/png', fileName: 'qr.png', data: PNG.split(',')[1] };
	const json = { is_connected: false, qr: PNG };
	expect(outputs[0]).toMatchObject(
		[0, 1].map((item) => ({ json, binary: { picture }, pairedItem: { item } })),
	);
	expect(Object.keys(outputs[0][0].binary ?? {})).toEqual(['picture']);
	expect(stored.split('scan the QR code').length - 1).toBe(1);
});

test('of a connected account outputs one item per input item, paired, with all fields, and no hint', async () => {
	const body = { is_connected: true, phone: 'x', nested: { a: [1] } };
	server.respondWith({ body });
	const result = await execute('getStatus', {}, { items: [{}, {}] });
	expect(result.outputs[0]).toEqual([0, 1].map((item) => ({ json: body, pairedItem: { item } })));
	expect(result.stored).not.toContain('The account is not connected');
});

test('says that a QR code which is a text cannot be shown as a picture', async () => {
	const body = { is_connected: false, qr: '2@abcdefgh,ijkl' };
	server.respondWith({ body });
	const result = await execute('getStatus', {}, { items: [{}, {}] });
	expect(result.json).toEqual([body, body]);
	expect(result.stored.split('gives no picture of the QR code').length - 1).toBe(1);
});

test('as a tool of an agent never outputs the QR code as text, because the model gets the data', async () => {
	server.respondWith({ body: { qr: PNG } });
	const settings = { type: TOOL };
	const { outputs, json } = await execute('getStatus', {}, { settings });
	expect(outputs[0]).toMatchObject([{ binary: { qr: { mimeType: 'image/png' } } }]);
	expect(json).toEqual([{ is_connected: false }]);
	server.respondWith({ body: { is_connected: false, qr: '2@abcdefgh,ijkl' } });
	expect((await execute('getStatus', {}, { settings })).json).toEqual([{ is_connected: false }]);
});

test.each([' ', '={{ null }}'])('asks for the name of the field if it is %j', async (name) => {
	const { error } = await execute('getStatus', { binaryPropertyName: name });
	expect(error?.message).toContain("'Put QR Code in Field'");
	expect(error?.description).toContain('e.g. qr');
	expect(server.requests).toEqual([]);
});
