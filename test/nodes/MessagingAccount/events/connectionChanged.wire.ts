import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CREDENTIAL } from '../../../support/engine';
import { useNoJitter } from '../../../support/noJitter';
import { Poller } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import { waitUntil } from '../../../support/waitUntil';

const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const QR = `data:image/png;base64,${PNG}`;
const CONNECTED = { is_connected: true };
const DISCONNECTED = { qr: QR };

useNoJitter();
const server = useScriptedServer();

function trigger(options: IDataObject = {}): Poller {
	const parameters = { event: 'connectionChanged', options } as INodeParameters;
	return new Poller(parameters, { baseUrl: server.url, ...CREDENTIAL });
}

async function poll(poller: Poller, status: object) {
	server.respondWith({ body: status });
	return await poller.poll();
}

const disconnectedItems = (previous: boolean | null) => [
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
const reconnectedItems = [[{ json: { is_connected: true, previous: false } }]];

test('the first poll emits nothing if the account is connected', async () => {
	expect(await poll(trigger(), CONNECTED)).toBeNull();
});

test('the first poll emits an item if it is not', async () => {
	expect(await poll(trigger(), DISCONNECTED)).toEqual(disconnectedItems(null));
});

test('a disconnection is emitted once, with the QR code as data and as picture, and so is the reconnection', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, { ...DISCONNECTED, since: 'today' })).toEqual([
		[
			expect.objectContaining({
				json: { is_connected: false, qr: QR, since: 'today', previous: true },
			}),
		],
	]);
	expect(await poll(poller, DISCONNECTED)).toBeNull();
	expect(await poll(poller, CONNECTED)).toEqual(reconnectedItems);
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(true));
	expect(server.requests.every(({ path }) => path === '/v1/status')).toBe(true);
});

test('with Repeat While Disconnected a disconnection is emitted at every poll until the account is connected', async () => {
	const poller = trigger({ repeatWhileDisconnected: true });
	await poll(poller, CONNECTED);
	expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(true));
	expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(false));
	expect(await poll(poller, CONNECTED)).toEqual(reconnectedItems);
	expect(await poll(poller, CONNECTED)).toBeNull();
});

test.each([{}, { qr: '' }, { qr: null }, { qr: '2@not-a-picture' }])(
	'a disconnection is emitted even without a QR code picture: %j',
	async (more) => {
		const poller = trigger();
		await poll(poller, CONNECTED);
		const status = { is_connected: false, ...more };
		expect(await poll(poller, status)).toEqual([[{ json: { ...status, previous: true } }]]);
	},
);

test.each([
	[
		{ status: 404, body: { success: false, error: 'session_not_connected' } },
		'session_not_connected (HTTP 404)',
	],
	[
		{ status: 500, body: { message: 'The phone is not connected.' } },
		'The phone is not connected (HTTP 500)',
	],
	[{ body: { success: false, message: 'Session closed' } }, 'Session closed'],
])(
	'a disconnection is emitted if the service tells it in an error: %j',
	async (response, reason) => {
		const poller = trigger();
		await poll(poller, CONNECTED);
		server.respondWith(response);
		const json = { is_connected: false, reason, previous: true };
		expect(await poller.poll()).toEqual([[{ json }]]);
		expect(await poller.poll()).toBeNull();
		expect(await poll(poller, CONNECTED)).toEqual(reconnectedItems);
	},
);

test.each([
	['HTTP 500', { status: 500 }, 'did not respond as expected'],
	['another response', { body: { ok: true } }, 'Unexpected response'],
])('a poll that fails with %s loses nothing', async (_what, response, message) => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const { state } = poller;
	server.respondWith(response);
	await expect(poller.poll()).rejects.toThrow(message);
	expect(poller.state).toEqual(state);
	expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(true));
});

test('a restart neither repeats nor loses a change', async () => {
	const poller = trigger();
	server.respondWith({ body: CONNECTED });
	await poller.activate();
	await poll(poller, DISCONNECTED);
	expect(await poller.activate()).toBeNull();
	server.respondWith({ body: CONNECTED });
	expect(await poller.activate()).toEqual(reconnectedItems);
});

test('a change is emitted once when two polls overlap', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	server.respondWith({ body: DISCONNECTED });
	const outputs = await Promise.all([poller.poll(), poller.poll()]);
	expect(outputs.filter(Boolean)).toEqual([disconnectedItems(true)]);
});

test('nothing is known about another account', async () => {
	const poller = trigger();
	await poll(poller, DISCONNECTED);
	poller.credential = { ...poller.credential, clientId: 'another' };
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(true));
});

test('a test run in the editor shows the status and changes nothing', async () => {
	const poller = trigger();
	server.respondWith({ body: CONNECTED });
	expect(await poller.test()).toEqual([[{ json: { is_connected: true, previous: null } }]]);
	expect(poller.state).toEqual({});
	await poller.poll();
	const { state } = poller;
	server.respondWith({ body: DISCONNECTED });
	expect(await poller.test()).toEqual(disconnectedItems(true));
	expect(poller.state).toEqual(state);
});

describe('the stored time of the last poll is later than this poll', () => {
	async function triggerPolledIn(ms: number): Promise<Poller> {
		const poller = trigger();
		await poll(poller, CONNECTED);
		const { connectionChanged } = poller.state as { connectionChanged: IDataObject };
		const polledAt = new Date(Date.now() + ms).toISOString();
		poller.state = { connectionChanged: { ...connectionChanged, polledAt } };
		return poller;
	}

	test('by so much that the clock was set back: a change counts', async () => {
		const poller = await triggerPolledIn(3_600_000);
		expect(await poll(poller, DISCONNECTED)).toEqual(disconnectedItems(true));
	});

	test('a test run counts, too', async () => {
		const poller = await triggerPolledIn(10_000);
		server.respondWith({ body: DISCONNECTED });
		expect(await poller.test()).toEqual(disconnectedItems(true));
	});
});

test('an answer that a later poll has overtaken counts for nothing', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const held: Array<(status: object) => void> = [];
	server.onRequest(() => (response) => {
		held.push((status) => response.end(JSON.stringify(status)));
	});
	const earlier = poller.poll();
	await waitUntil('the request of a poll', (saw) => saw(held.length) === 1);
	const later = poller.poll();
	await waitUntil('that of the next', (saw) => saw(held.length) === 2);
	held[1](DISCONNECTED);
	expect(await later).toEqual(disconnectedItems(true));
	held[0](CONNECTED);
	expect(await earlier).toBeNull();
	expect(await poll(poller, DISCONNECTED)).toBeNull();
});
