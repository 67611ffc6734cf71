import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { EventSource, request, type MessageEvent } from 'undici';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';
import { waitUntil } from '../support/waitUntil';

let service: EmbeddedService;

beforeEach(async () => {
	service = await startService({ clientId: 'a client', token: 'a token' });
});

afterEach(async () => {
	await service.close();
});

test.each([
	['/', 'text/html; charset=utf-8'],
	['/page.js', 'text/javascript; charset=utf-8'],
])('%s is served without the headers of the API', async (path, type) => {
	const { statusCode, headers, body } = await request(`${service.url}${path}`);
	expect([statusCode, headers['content-type']]).toEqual([200, type]);
	expect(await body.text()).not.toBe('');
});

describe('a client of the event stream', () => {
	let source: EventSource;
	const received: Array<{ event: string; data: unknown }> = [];

	afterEach(() => source.close());

	const untilReceived = (count: number) =>
		waitUntil(`${count} events`, (saw) => saw(received).length >= count);

	async function watch(): Promise<void> {
		received.length = 0;
		source = new EventSource(`${service.url}/phone/events`);
		for (const event of ['account', 'connection', 'message']) {
			source.addEventListener(event, (change) =>
				received.push({ event, data: JSON.parse((change as MessageEvent<string>).data) }),
			);
		}
		await untilReceived(1);
	}

	test('receives the current state, then each change once, in order', async () => {
		const { account } = service;
		const before = account.send({ number: '1', url: 'http://x/', caption: 'before' });
		const first = { is_connected: false, qr: await account.qrPicture() };
		await watch();
		account.scan(account.qrText);
		const sent = account.send({ number: '1', url: 'http://x/' });
		const incoming = account.receive({ number: '1', text: 'Hello' });
		await untilReceived(4);
		account.logOut();
		await untilReceived(5);
		expect(received).toEqual([
			{ event: 'account', data: { connection: first, messages: [before] } },
			{ event: 'connection', data: { is_connected: true } },
			{ event: 'message', data: sent },
			{ event: 'message', data: incoming },
			{ event: 'connection', data: { is_connected: false, qr: await account.qrPicture() } },
		]);
	});

	test('receives a message once that arrives while the current state is prepared', async () => {
		const { account } = service;
		jest.spyOn(account, 'connection').mockImplementationOnce(async () => {
			account.receive({ number: '1', text: 'just now' });
			return { is_connected: true };
		});
		await watch();
		account.receive({ number: '1', text: 'later' });
		const isIn = (text: string) => JSON.stringify(received).includes(text);
		await waitUntil("the message 'later'", (saw) => saw(isIn('later')));
		expect(JSON.stringify(received).split('just now')).toHaveLength(2);
	});
});

const post = async (path: string, body: string) =>
	await request(`${service.url}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});

test.each([
	{ number: '+1 202 555 0143', text: 'Hello' },
	{ number: '12025550143', text: '' },
	{ number: '12025550143', text: 'Hello', caption: 'x' },
])('a received message cannot be %j', async (message) => {
	expect((await post('/phone/receive', JSON.stringify(message))).statusCode).toBe(400);
	expect(service.account.messages).toEqual([]);
});

test('the README has an example body for each of these requests, which is accepted', async () => {
	const readme = readFileSync(join(PROJECT, 'tools/embeddedService/README.md'), 'utf8');
	const examples = [...readme.matchAll(/^\| `POST (\S+)`.*`(\{.*?\})`/gm)];
	const paths = examples.map(([, path]) => path);
	expect(paths).toEqual(['/phone/scan', '/phone/receive', '/phone/listing']);
	for (const [, path, body] of examples) {
		// The only value that an example cannot show: it is random.
		const { statusCode } = await post(path, body.replace('…', service.account.qrText));
		expect(`${path}: ${statusCode}`).toBe(`${path}: 200`);
	}
});
