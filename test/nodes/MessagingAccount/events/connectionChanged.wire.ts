import type { IDataObject } from 'n8n-workflow';

import { Poller } from '../../../support/poller';
import { useScriptedServer } from '../../../support/scriptedServer';
import { waitUntil } from '../../../support/waitUntil';

const PNG =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
const QR = `data:image/png;base64,${PNG}`;
const CONNECTED = { is_connected: true };
const DISCONNECTED = { qr: QR };

const server = useScriptedServer();

const trigger = (options?: IDataObject) => new Poller(server, options, 'connectionChanged');

async function poll(poller: Poller, status: object) {
	server.respondWith({ body: status });
	return await poller.poll();
}

const PICTURE = {
	data: PNG,
	mimeType: 'image/png',
	fileType: 'image',
	fileName: 'qr.png',
	fileExtension: 'png',
	bytes: Buffer.from(PNG, 'base64').length,
};
const down = (previous: boolean | null) => [
	[{ json: { is_connected: false, qr: QR, previous }, binary: { qr: PICTURE } }],
];
const up = [[{ json: { is_connected: true, previous: false } }]];

const EMITTED = { nothing: null, up, was_on: down(true), was_off: down(false), new: down(null) };

/** In each poll, the account is on or off, and this is emitted. */
test.each([
	['not by the first poll while it is connected', false, 'on:nothing'],
	['by the first poll if it is not', false, 'off:new'],
	['once', false, 'on:nothing on:nothing off:was_on off:nothing on:up on:nothing off:was_on'],
	['with the option at every poll', true, 'on:nothing off:was_on off:was_off on:up on:nothing'],
])('a disconnection is emitted %s, and a reconnection once', async (_how, repeats, polls) => {
	const poller = trigger({ repeatWhileDisconnected: repeats });
	for (const [status, emitted] of polls.split(' ').map((one) => one.split(':'))) {
		const outputs = await poll(poller, status === 'on' ? CONNECTED : DISCONNECTED);
		expect(outputs).toEqual(EMITTED[emitted as keyof typeof EMITTED]);
	}
	expect(server.requests.every(({ path }) => path === '/v1/status')).toBe(true);
});

test('a disconnection is emitted with all fields, even without a picture of the QR code', async () => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const status = { is_connected: false, qr: '2@not-a-picture', since: 'today' };
	expect(await poll(poller, status)).toEqual([[{ json: { ...status, previous: true } }]]);
});

test.each([
	[{ status: 404, body: { error: 'session_not_connected' } }, 'session_not_connected (HTTP 404)'],
	[{ status: 404, body: { message: 'Sessão não conectada' } }, 'Sessão não conectada (HTTP 404)'],
	[{ body: { success: false, message: 'Session closed' } }, 'Session closed'],
	[{ status: 401, body: { message: 'Device logged out' } }, 'Device logged out (HTTP 401)'],
])('a disconnection is emitted if the service tells it in an error: %j', async (script, reason) => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	server.respondWith(script);
	const json = { is_connected: false, reason, previous: true };
	expect(await poller.poll()).toEqual([[{ json }]]);
	expect(await poller.poll()).toBeNull();
	expect(await poll(poller, CONNECTED)).toEqual(up);
});

// A service that fails says nothing about the account, whatever connection it mentions.
test.each([
	[500, 'Session closed'],
	[503, 'Client network socket disconnected before secure TLS connection was established'],
	[401, 'Invalid or expired. You are not logged in'],
	[407, 'Proxy session closed'],
	[408, 'Client disconnected'],
	[429, 'Too many connections: connection closed'],
])('HTTP %d with %j is no disconnection', async (status, message) => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	server.respondWith({ status, body: { error: message } });
	await expect(poller.poll()).rejects.toThrow(`(HTTP ${status})`);
	expect(await poll(poller, CONNECTED)).toBeNull();
});

test('nothing is known about another account', async () => {
	const poller = trigger();
	await poll(poller, DISCONNECTED);
	poller.credential = { ...poller.credential, clientId: 'another' };
	expect(await poll(poller, CONNECTED)).toBeNull();
	expect(await poll(poller, DISCONNECTED)).toEqual(down(true));
});

test('a test run in the editor shows the status and changes nothing', async () => {
	const poller = trigger();
	server.respondWith({ body: CONNECTED });
	expect(await poller.test()).toEqual([[{ json: { is_connected: true, previous: null } }]]);
	expect(poller.state).toEqual({});
	await poller.poll();
	const { state } = poller;
	server.respondWith({ body: DISCONNECTED });
	expect(await poller.test()).toEqual(down(true));
	expect(poller.state).toEqual(state);
});

test.each([
	['a poll in which the clock was set back by much', 3_600_000, 'poll'],
	['a test run', 10_000, 'test'],
] as const)('a change counts for %s', async (_what, msLater, run) => {
	const poller = trigger();
	await poll(poller, CONNECTED);
	const { connectionChanged } = poller.state as { connectionChanged: IDataObject };
	const polledAt = new Date(Date.now() + msLater).toISOString();
	poller.state = { connectionChanged: { ...connectionChanged, polledAt } };
	server.respondWith({ body: DISCONNECTED });
	expect(await poller[run]()).toEqual(down(true));
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
	expect(await later).toEqual(down(true));
	held[0](CONNECTED);
	expect(await earlier).toBeNull();
	expect(await poll(poller, DISCONNECTED)).toBeNull();
});
