import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { Poller } from '../../../support/poller';
import { startScriptedServer, type ScriptedServer } from '../../../support/scriptedServer';

const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const QR = `data:image/png;base64,${PNG}`;
const CONNECTED = { is_connected: true };
const LOST = { qr: QR };

let server: ScriptedServer;

beforeEach(async () => {
	jest.spyOn(Math, 'random').mockReturnValue(0);
	server = await startScriptedServer();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await server.close();
});

function trigger(options: IDataObject = {}): Poller {
	const parameters = { event: 'connectionChanged', options } as INodeParameters;
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

async function poll(poller: Poller, status: object) {
	server.answer({ body: status });
	return await poller.poll();
}

const isLost = (previous: boolean | null) => [
	[
		{
			json: { is_connected: false, qr: QR, previous },
			binary: {
				qr: {
					data: PNG,
					mimeType: 'image/png',
					fileType: 'image',
					fileName: 'qr.png',
					fileExtension: 'png',
					bytes: Buffer.from(PNG, 'base64').length,
				},
			},
		},
	],
];
const isBack = [[{ json: { is_connected: true, previous: false } }]];

test('the first poll emits nothing where the account is connected', async () => {
	expect(await poll(trigger(), CONNECTED)).toBeNull();
});

test('the first poll emits where it is not', async () => {
	expect(await poll(trigger(), LOST)).toEqual(isLost(null));
});

test('a lost connection comes out once, with the QR code as data and as picture, and so does its return', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, { ...LOST, since: 'today' })).toEqual([
		[
			expect.objectContaining({
				json: { is_connected: false, qr: QR, since: 'today', previous: true },
			}),
		],
	]);
	expect(await poll(poller, LOST)).toBeNull();
	expect(await poll(poller, CONNECTED)).toEqual(isBack);
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, LOST)).toEqual(isLost(true));
	expect(server.requests.every(({ path }) => path === '/v1/status')).toBe(true);
});

test('what is remembered of the connection and cannot be read counts as not known', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const { account } = poller.state.connectionChanged as IDataObject;
	poller.state = { connectionChanged: { account, isConnected: 'yes' } };
	expect(await poll(poller, LOST)).toEqual(isLost(null));
});

test('with Repeat While Disconnected comes out at every poll until it is back', async () => {
	const poller = trigger({ repeatWhileDisconnected: true });
	await poll(poller, CONNECTED);
	expect(await poll(poller, LOST)).toEqual(isLost(true));
	expect(await poll(poller, LOST)).toEqual(isLost(false));
	expect(await poll(poller, CONNECTED)).toEqual(isBack);
	expect(await poll(poller, CONNECTED)).toBeNull();
});

test.each([{}, { qr: '' }, { qr: null }, { qr: '2@not-a-picture' }])(
	'a lost connection comes out also without the picture of a QR code: %j',
	async (more) => {
		const poller = trigger();
		await poll(poller, CONNECTED);
		const json = { is_connected: false, ...more, previous: true };
		expect(await poll(poller, { is_connected: false, ...more })).toEqual([[{ json }]]);
	},
);

test('a poll that fails loses nothing', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const { state } = poller;
	server.answer({ status: 500 });
	await expect(poller.poll()).rejects.toThrow('could not process the request');
	server.answer({ body: { ok: true } });
	await expect(poller.poll()).rejects.toThrow('Unexpected response');
	expect(poller.state).toEqual(state);
	expect(await poll(poller, LOST)).toEqual(isLost(true));
});

test('a restart neither repeats nor loses', async () => {
	const poller = trigger();
	server.answer({ body: CONNECTED });
	await poller.activate();
	await poll(poller, LOST);
	expect(await poller.activate()).toBeNull();
	server.answer({ body: CONNECTED });
	expect(await poller.activate()).toEqual(isBack);
});

test('comes out once when two polls overlap', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	server.answer({ body: LOST });
	const outputs = await Promise.all([poller.poll(), poller.poll()]);
	expect(outputs.filter(Boolean)).toEqual([isLost(true)]);
});

test('of another account nothing is known', async () => {
	const poller = trigger();
	await poll(poller, LOST);
	poller.credential = { ...poller.credential, clientId: 'another' };
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, LOST)).toEqual(isLost(true));
});

test.each(['nonsense', null, { isConnected: 'yes' }])(
	'a memory that cannot be read (%j) is that of a first poll',
	async (connectionChanged) => {
		const poller = trigger();
		poller.state = { connectionChanged };
		expect(await poll(poller, LOST)).toEqual(isLost(null));
	},
);

test('a test run in the editor shows the status and changes nothing', async () => {
	const poller = trigger();
	server.answer({ body: CONNECTED });
	expect(await poller.test()).toEqual([[{ json: { is_connected: true, previous: null } }]]);
	expect(poller.state).toEqual({});
	await poller.poll();
	const { state } = poller;
	server.answer({ body: LOST });
	expect(await poller.test()).toEqual(isLost(true));
	expect(poller.state).toEqual(state);
});
