import { request } from 'undici';

import { ENDPOINTS } from '../../tools/embeddedService/endpoints';
import { openApi } from '../../tools/embeddedService/openapi';
import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { readQrCode } from '../../tools/qrReader';
import { readDocument } from '../docs/documents';
import { startScriptedServer } from '../support/scriptedServer';

const CREDENTIALS = { clientId: 'a client', token: 'a token' };
const HEADERS = { 'client-id': CREDENTIALS.clientId, token: CREDENTIALS.token };
const NO_HEADERS = { 'client-id': undefined, token: undefined };
const LAST_100 = Array.from({ length: 100 }, (_, i) => String(i + 2));

let service: EmbeddedService;

beforeEach(async () => {
	service = await startService(CREDENTIALS);
});

afterEach(async () => await service.close());

async function call(method: 'GET' | 'POST', path: string, body?: object, headers = {}) {
	const response = await request(`${service.url}${path}`, {
		method,
		headers: { ...HEADERS, ...headers, ...(body && { 'content-type': 'application/json' }) },
		body: body && JSON.stringify(body),
	});
	return { status: response.statusCode, body: (await response.body.json()) as never };
}

const scan = () => service.account.scan(service.account.qrText);
const picture = () => `${service.url}/pictures/sample.png`;
const send = (url: string, more = {}) =>
	call('POST', '/v1/sendImage', { number: '49151', url, ...more });

test.each([
	['no headers', NO_HEADERS],
	['no token', { token: undefined }],
	['a wrong token', { token: 'x' }],
	['a wrong client ID', { 'client-id': 'x' }],
])('%s: refused on every path of the API', async (_what, headers) => {
	scan();
	for (const { method, path } of ENDPOINTS) {
		const { status } = await call(method === 'get' ? 'GET' : 'POST', path, undefined, headers);
		expect(`${path}: ${status}`).toBe(`${path}: 401`);
	}
	expect(service.account.lastMessages()).toEqual([]);
});

test('the status is a QR code to scan, then connected, then another QR code', async () => {
	const qrCode = async () => {
		const { body } = await call('GET', '/v1/status');
		expect(body).toEqual({ qr: expect.stringMatching(/^data:image\/png;base64,/) as string });
		return readQrCode(Buffer.from((body as { qr: string }).qr.split(',')[1], 'base64'));
	};
	const first = await qrCode();
	expect((await call('POST', '/phone/scan', { code: first })).status).toBe(200);
	expect((await call('GET', '/v1/status')).body).toEqual({ is_connected: true });

	await call('POST', '/phone/log-out');
	expect(await qrCode()).not.toBe(first);
	expect((await call('POST', '/phone/scan', { code: first })).status).toBe(409);
	expect((await call('POST', '/phone/scan')).status).toBe(200);
	expect((await call('POST', '/phone/scan')).status).toBe(409);
});

test.each([
	['no URL', { url: undefined }],
	['a number with separators', { number: '+49 151' }],
	['a caption that is not text', { caption: 1 }],
])('an image with %s is refused with a reason', async (_what, body) => {
	scan();
	const message = expect.stringMatching(/./) as string;
	expect(await send(picture(), body)).toEqual({ status: 400, body: { message } });
	expect(service.account.lastMessages()).toEqual([]);
});

test('an image is refused while the account is not connected', async () => {
	expect((await send(picture())).status).toBe(422);
});

test('a web page is no image', async () => {
	scan();
	const host = await startScriptedServer();
	host.respondWith({ status: 200, headers: { 'content-type': 'text/html' } });
	expect((await send(`${host.url}/a.png`)).status).toBe(422);
	expect(host.requests).toHaveLength(1);
	expect(service.account.lastMessages()).toEqual([]);
	await host.close();
});

test('the image is kept as it was fetched, for the phone to show', async () => {
	scan();
	const dataUri = `data:image/png;base64,${samplePicture().toString('base64')}`;
	for (const url of [picture(), dataUri]) expect((await send(url)).status).toBe(200);
	const [fromUrl, fromDataUri] = service.account.lastMessages();
	expect([fromUrl.url, fromDataUri.url]).toEqual([picture(), undefined]);
	expect(fromDataUri.picture).toBe(fromUrl.picture);
	const shown = await request(`${service.url}${fromUrl.picture}`);
	expect(shown.headers['content-type']).toBe('image/png');
	expect(Buffer.from(await shown.body.arrayBuffer())).toEqual(samplePicture());
	expect((await call('GET', '/phone/pictures/x')).status).toBe(404);
});

test('a received message is listed after sent ones', async () => {
	const message = { number: '49151', text: 'Hello' };
	service.account.send({ number: '49152', url: 'http://x/' });
	const { body } = await call('POST', '/phone/receive', message);
	expect(body).toMatchObject({ ...message, direction: 'incoming' });
	expect((await call('GET', '/v1/messages')).body).toEqual([
		expect.objectContaining({ direction: 'outgoing', number: '49152' }),
		body,
	]);
});

test('messages are the last 100, oldest first, or the newest first and wrapped', async () => {
	for (let i = 1; i <= 101; i++) service.account.receive({ number: '1', text: String(i) });
	const textsOf = (messages: Array<{ text: string }>) => messages.map(({ text }) => text);
	expect(textsOf((await call('GET', '/v1/messages')).body)).toEqual(LAST_100);
	await call('POST', '/phone/listing', { newestFirst: true, wrapped: true });
	const { messages } = (await call('GET', '/v1/messages')).body as { messages: never };
	expect(textsOf(messages)).toEqual(LAST_100.toReversed());
});

test('serves the API description, which contains only documented paths', async () => {
	expect((await call('GET', '/openapi.json', undefined, NO_HEADERS)).body).toEqual(openApi);
	const api = readDocument('docs/api.md');
	const documented = [...api.matchAll(/(\/v1\/\w+)/g)].map(([path]) => path);
	expect(new Set(Object.keys(openApi.paths))).toEqual(new Set(documented));
	// docs/api.md does not say which fields are required.
	expect(JSON.stringify(openApi.paths['/v1/sendImage'].post.requestBody)).not.toContain('required');
});

test.each([
	{ number: '+1 202 555 0143', text: 'Hello' },
	{ number: '12025550143', text: '' },
	{ number: '12025550143', text: 'Hello', caption: 'x' },
])('a received message cannot be %j', async (message) => {
	expect((await call('POST', '/phone/receive', message)).status).toBe(400);
	expect(service.account.messages).toEqual([]);
});

test('the README has an example body for each of these requests, which is accepted', async () => {
	const readme = readDocument('tools/embeddedService/README.md');
	const examples = [...readme.matchAll(/^\| `POST (\S+)`.*`(\{.*?\})`/gm)];
	const paths = examples.map(([, path]) => path);
	expect(paths).toEqual(['/phone/scan', '/phone/receive', '/phone/listing']);
	for (const [, path, body] of examples) {
		// The only value that an example cannot show: it is random.
		const parsed = JSON.parse(body.replace('…', service.account.qrText)) as object;
		const { status } = await call('POST', path, parsed);
		expect(`${path}: ${status}`).toBe(`${path}: 200`);
	}
});
