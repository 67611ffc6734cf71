import { request } from 'undici';

import { PhoneAccount } from '../../tools/embeddedService/account';
import { openApi } from '../../tools/embeddedService/openapi';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { readQrCode } from '../../tools/qrReader';
import { startScriptedServer } from '../support/scriptedServer';

const CREDENTIALS = { clientId: 'a client', token: 'a token' };
const HEADERS = { 'client-id': CREDENTIALS.clientId, token: CREDENTIALS.token };

let service: EmbeddedService;

beforeEach(async () => {
	service = await startService(CREDENTIALS);
});

afterEach(async () => {
	await service.close();
});

async function call(
	method: 'GET' | 'POST',
	path: string,
	body?: object,
	headers: object = HEADERS,
) {
	const response = await request(`${service.url}${path}`, {
		method,
		headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
	});
	return { status: response.statusCode, body: (await response.body.json()) as never };
}

const scan = () => service.account.scan(service.account.qrText);
const picture = () => `${service.url}/pictures/sample.png`;
const send = (body: object) => call('POST', '/v1/sendImage', body);

describe('headers', () => {
	test.each([
		['no headers', {}],
		['no token', { 'client-id': CREDENTIALS.clientId }],
		['no client ID', { token: CREDENTIALS.token }],
		['a wrong token', { ...HEADERS, token: 'x' }],
		['a wrong client ID', { ...HEADERS, 'client-id': 'x' }],
	])('%s: refused on every path of the API', async (_what, headers) => {
		scan();
		for (const [method, path] of [
			['GET', '/v1/status'],
			['GET', '/v1/messages'],
		] as const) {
			expect((await call(method, path, undefined, headers)).status).toBe(401);
		}
		const image = { number: '49151', url: picture() };
		expect((await call('POST', '/v1/sendImage', image, headers)).status).toBe(401);
		expect(service.account.lastMessages()).toEqual([]);
	});
});

describe('status', () => {
	test('is a QR code to scan, then connected, then another QR code', async () => {
		const qrCode = async () => {
			const { body } = await call('GET', '/v1/status');
			expect(Object.keys(body)).toEqual(['qr']);
			const qr = (body as { qr: string }).qr;
			expect(qr).toMatch(/^data:image\/png;base64,/);
			return readQrCode(Buffer.from(qr.split(',')[1], 'base64'));
		};
		const first = await qrCode();
		expect((await call('POST', '/phone/scan', { code: first })).status).toBe(200);
		expect((await call('GET', '/v1/status')).body).toEqual({ is_connected: true });

		await call('POST', '/phone/log-out');
		const second = await qrCode();
		expect(second).not.toBe(first);
		expect((await call('POST', '/phone/scan', { code: first })).status).toBe(409);
		expect((await call('POST', '/phone/scan')).status).toBe(200);
		expect((await call('POST', '/phone/scan')).status).toBe(409);
	});

	test('that does not match the API description is not sent, and the service fails', async () => {
		class BrokenAccount extends PhoneAccount {
			override qrPicture = async () => 'not a data URI';
		}
		const broken = await startService(CREDENTIALS, 0, new BrokenAccount());
		const response = await request(`${broken.url}/v1/status`, { headers: HEADERS });
		await response.body.dump();
		await broken.close();
		expect(response.statusCode).toBe(500);
	});
});

describe('sendImage', () => {
	test('sends to new and existing chats', async () => {
		scan();
		const ids = [];
		for (const number of ['49151', '49152', '49151']) {
			const { status, body } = await send({ number, url: picture(), caption: 'Hi' });
			expect(status).toBe(200);
			ids.push((body as { id: string }).id);
		}
		expect(new Set(ids).size).toBe(3);
		expect([...service.account.chats.keys()]).toEqual(['49151', '49152']);
		expect(service.account.chats.get('49151')).toMatchObject([{ id: ids[0] }, { id: ids[2] }]);
	});

	test.each([
		['no number', { url: 'http://x/' }],
		['no URL', { number: '49151' }],
		['a number with separators', { number: '+49 151', url: 'http://x/' }],
		['a numeric number', { number: 49151, url: 'http://x/' }],
		['another protocol', { number: '49151', url: 'ftp://x/' }],
		['a caption that is not text', { number: '49151', url: 'http://x/', caption: 1 }],
		['a list', []],
	])('refuses %s with a reason', async (_what, body) => {
		scan();
		const response = await send(body);
		expect(response.status).toBe(400);
		expect(response.body).toEqual({ message: expect.stringMatching(/./) as string });
		expect(service.account.lastMessages()).toEqual([]);
	});

	test('refuses while the account is not connected', async () => {
		expect((await send({ number: '49151', url: picture() })).status).toBe(422);
	});

	test.each([
		['a dead link', { status: 404 }],
		['a web page', { status: 200, headers: { 'content-type': 'text/html' } }],
	])('refuses %s', async (_what, script) => {
		scan();
		const host = await startScriptedServer();
		host.respondWith(script);
		const response = await send({ number: '49151', url: `${host.url}/a.png` });
		await host.close();
		expect(host.requests).toHaveLength(1);
		expect(response.status).toBe(422);
		expect(service.account.lastMessages()).toEqual([]);
	});

	test('keeps the image as it was fetched, for the phone to show', async () => {
		scan();
		const dataUri = `data:image/png;base64,${samplePicture().toString('base64')}`;
		for (const url of [picture(), dataUri]) {
			expect((await send({ number: '49151', url })).status).toBe(200);
		}
		const [fromUrl, fromDataUri] = service.account.lastMessages();
		expect([fromUrl.url, fromDataUri.url]).toEqual([picture(), undefined]);
		expect(fromDataUri.picture).toBe(fromUrl.picture);
		const shown = await request(`${service.url}${fromUrl.picture}`);
		expect(shown.headers['content-type']).toBe('image/png');
		expect(Buffer.from(await shown.body.arrayBuffer())).toEqual(samplePicture());
		expect((await call('GET', '/phone/pictures/x', undefined, {})).status).toBe(404);
	});

	test('refuses an unreachable address', async () => {
		scan();
		const host = await startScriptedServer();
		await host.close();
		expect((await send({ number: '49151', url: host.url })).status).toBe(422);
	});
});

test('messages are the last 100, oldest first', async () => {
	for (let i = 1; i <= 103; i++) {
		service.account.send({ number: '49151', url: 'http://x/', caption: String(i) });
	}
	const { body } = await call('GET', '/v1/messages');
	expect((body as Array<{ caption: string }>).map(({ caption }) => caption)).toEqual(
		Array.from({ length: 100 }, (_, i) => String(i + 4)),
	);
});

describe('receiving', () => {
	const message = { number: '49151', text: 'Hello' };

	test('adds a message to the list, after sent ones', async () => {
		service.account.send({ number: '49152', url: 'http://x/' });
		const { body } = await call('POST', '/phone/receive', message, {});
		expect(body).toMatchObject({ ...message, direction: 'incoming' });
		expect((await call('GET', '/v1/messages')).body).toEqual([
			expect.objectContaining({ direction: 'outgoing', number: '49152' }),
			body,
		]);
	});

	test.each([
		['no text', { number: '49151' }],
		['an empty text', { number: '49151', text: '' }],
		['an invalid number', { number: 'Ada', text: 'Hello' }],
		['an unknown field', { ...message, id: '1' }],
	])('refuses %s', async (_what, body) => {
		expect((await call('POST', '/phone/receive', body, {})).status).toBe(400);
		expect(service.account.lastMessages()).toEqual([]);
	});
});

test.each([
	[false, false],
	[true, false],
	[false, true],
	[true, true],
])('lists the newest first (%s) and wrapped (%s) if configured', async (newestFirst, wrapped) => {
	await call('POST', '/phone/listing', { newestFirst, wrapped }, {});
	for (let i = 1; i <= 101; i++) service.account.receive({ number: '1', text: String(i) });
	const { body } = await call('GET', '/v1/messages');
	const messages = wrapped ? (body as { messages: never }).messages : body;
	const texts = (messages as Array<{ text: string }>).map(({ text }) => text);
	const lastOf100 = Array.from({ length: 100 }, (_, i) => String(i + 2));
	expect(texts).toEqual(newestFirst ? lastOf100.reverse() : lastOf100);
});

test('serves the API description, which contains only documented paths', async () => {
	const { body } = await call('GET', '/openapi.json', undefined, {});
	expect(body).toEqual(openApi);
	expect(Object.keys(openApi.paths)).toEqual(['/v1/status', '/v1/sendImage', '/v1/messages']);
	expect(openApi.components.schemas.SendImageRequest).not.toHaveProperty('required');
});
