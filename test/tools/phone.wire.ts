import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { EventSource, request, type MessageEvent } from 'undici';

import type { PhoneAccount } from '../../tools/embeddedService/account';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';
import { waitUntil } from '../support/waitUntil';

let service: EmbeddedService;
let account: PhoneAccount;

beforeEach(async () => {
	service = await startService({ clientId: 'a client', token: 'a token' });
	({ account } = service);
});

afterEach(async () => {
	await service.close();
});

test.each([
	['/', 'text/html; charset=utf-8'],
	['/page.css', 'text/css; charset=utf-8'],
	['/page.js', 'text/javascript; charset=utf-8'],
	['/links.js', 'text/javascript; charset=utf-8'],
])('%s is served without the headers of the API', async (path, type) => {
	const { statusCode, headers, body } = await request(`${service.url}${path}`);
	expect(statusCode).toBe(200);
	expect(headers['content-type']).toBe(type);
	expect(await body.text()).not.toBe('');
});

describe('a client of the event stream', () => {
	let source: EventSource;
	let received: Array<{ event: string; data: unknown }>;

	beforeEach(() => {
		received = [];
	});

	afterEach(() => source.close());

	const untilReceived = (count: number) =>
		waitUntil(`${count} events`, (saw) => saw(received).length >= count);

	async function watch(): Promise<void> {
		source = new EventSource(`${service.url}/phone/events`);
		for (const event of ['account', 'connection', 'message']) {
			source.addEventListener(event, (change) =>
				received.push({ event, data: JSON.parse((change as MessageEvent<string>).data) }),
			);
		}
		await untilReceived(1);
	}

	test('first receives the current state', async () => {
		account.send({ number: '1', url: 'http://x/', caption: 'before' });
		await watch();
		expect(received).toEqual([
			{
				event: 'account',
				data: {
					connection: { is_connected: false, qr: await account.qrPicture() },
					messages: account.messages,
				},
			},
		]);
	});

	test('receives more than the 100 messages that the API lists', async () => {
		for (let i = 0; i < 101; i++) account.receive({ number: '1', text: String(i) });
		await watch();
		expect((received[0].data as { messages: unknown[] }).messages).toHaveLength(101);
	});

	test('receives each change once, in order', async () => {
		await watch();
		account.scan(account.qrText);
		const sent = account.send({ number: '1', url: 'http://x/' });
		const incoming = account.receive({ number: '1', text: 'Hello' });
		await untilReceived(4);
		account.logOut();
		await untilReceived(5);
		expect(received.slice(1)).toEqual([
			{ event: 'connection', data: { is_connected: true } },
			{ event: 'message', data: sent },
			{ event: 'message', data: incoming },
			{ event: 'connection', data: { is_connected: false, qr: await account.qrPicture() } },
		]);
	});

	test('receives a message once that arrives while the current state is prepared', async () => {
		jest.spyOn(account, 'connection').mockImplementationOnce(async () => {
			account.receive({ number: '1', text: 'just now' });
			return { is_connected: true };
		});
		await watch();
		account.receive({ number: '1', text: 'later' });
		await waitUntil("the message 'later'", (saw) =>
			saw(JSON.stringify(received)).includes('later'),
		);
		expect(JSON.stringify(received).split('just now')).toHaveLength(2);
	});

	test('leaves no listener behind', async () => {
		await watch();
		expect(account.changes.listenerCount('change')).toBe(1);
		source.close();
		await waitUntil('no listener', (saw) => saw(account.changes.listenerCount('change')) === 0);
	});
});

const post = async (path: string, body: string) =>
	await request(`${service.url}${path}`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body,
	});

describe('POST /phone/receive', () => {
	test('returns the message', async () => {
		const { statusCode, body } = await post('/phone/receive', '{ "number": "1", "text": "Hello" }');
		expect(statusCode).toBe(200);
		expect(await body.json()).toEqual(account.messages[0]);
	});

	test.each([
		{ number: '+1 202 555 0143', text: 'Hello' },
		{ number: '', text: 'Hello' },
		{ number: 12025550143, text: 'Hello' },
		{ number: '12025550143', text: '' },
		{ number: '12025550143' },
		{ text: 'Hello' },
		{ number: '12025550143', text: 'Hello', caption: 'x' },
	])('does not accept %j', async (message) => {
		expect((await post('/phone/receive', JSON.stringify(message))).statusCode).toBe(400);
		expect(account.messages).toEqual([]);
	});
});

describe('the README of the service', () => {
	const readme = readFileSync(join(PROJECT, 'tools/embeddedService/README.md'), 'utf8');
	const examples = [...readme.matchAll(/^\| `POST (\S+)`.*`(\{.*?\})`/gm)].map((row) =>
		row.slice(1),
	);

	test.each(examples)('has an example body for %s that is accepted: %s', async (path, body) => {
		// The only value that an example cannot show: it is random.
		const { statusCode } = await post(path, body.replace('…', account.qrText));
		expect(statusCode).toBe(200);
	});

	test('has an example body for each of these requests', () => {
		expect(examples.map(([path]) => path)).toEqual([
			'/phone/scan',
			'/phone/receive',
			'/phone/listing',
		]);
	});
});
