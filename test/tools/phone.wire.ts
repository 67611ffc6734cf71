import { EventSource, request, type MessageEvent } from 'undici';

import type { PhoneAccount } from '../../tools/embeddedService/account';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
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

	async function watch(): Promise<void> {
		source = new EventSource(`${service.url}/phone/events`);
		for (const event of ['account', 'connection', 'message']) {
			source.addEventListener(event, (change) =>
				received.push({ event, data: JSON.parse((change as MessageEvent<string>).data) }),
			);
		}
		await waitUntil(() => received.length > 0);
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
		await waitUntil(() => received.length === 4);
		account.logOut();
		await waitUntil(() => received.length === 5);
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
		await waitUntil(() => JSON.stringify(received).includes('later'));
		expect(JSON.stringify(received).split('just now')).toHaveLength(2);
	});

	test('leaves no listener behind', async () => {
		await watch();
		expect(account.changes.listenerCount('change')).toBe(1);
		source.close();
		await waitUntil(() => account.changes.listenerCount('change') === 0);
	});
});
