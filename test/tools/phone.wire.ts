import { EventSource, request, type MessageEvent } from 'undici';

import type { PhoneAccount } from '../../tools/service/account';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { until } from '../support/until';

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

describe('who watches the account', () => {
	let source: EventSource;
	let seen: Array<{ event: string; data: unknown }>;

	beforeEach(() => {
		seen = [];
	});

	afterEach(() => source.close());

	async function watch(): Promise<void> {
		source = new EventSource(`${service.url}/phone/events`);
		for (const event of ['account', 'connection', 'message']) {
			source.addEventListener(event, (change) =>
				seen.push({ event, data: JSON.parse((change as MessageEvent<string>).data) }),
			);
		}
		await until(() => seen.length > 0);
	}

	test('sees at first what there is', async () => {
		account.send({ number: '1', url: 'http://x/', caption: 'before' });
		await watch();
		expect(seen).toEqual([
			{
				event: 'account',
				data: {
					connection: { is_connected: false, qr: await account.qrPicture() },
					messages: account.messages,
				},
			},
		]);
	});

	test('sees more than the 100 messages that the API lists', async () => {
		for (let i = 0; i < 101; i++) account.receive({ number: '1', text: String(i) });
		await watch();
		expect((seen[0].data as { messages: unknown[] }).messages).toHaveLength(101);
	});

	test('sees each change once, in order', async () => {
		await watch();
		account.scan(account.qrText);
		const sent = account.send({ number: '1', url: 'http://x/' });
		const received = account.receive({ number: '1', text: 'Hello' });
		await until(() => seen.length === 4);
		account.logOut();
		await until(() => seen.length === 5);
		expect(seen.slice(1)).toEqual([
			{ event: 'connection', data: { is_connected: true } },
			{ event: 'message', data: sent },
			{ event: 'message', data: received },
			{ event: 'connection', data: { is_connected: false, qr: await account.qrPicture() } },
		]);
	});

	test('sees once what comes while the first look is made ready', async () => {
		jest.spyOn(account, 'connection').mockImplementationOnce(async () => {
			account.receive({ number: '1', text: 'just now' });
			return { is_connected: true };
		});
		await watch();
		account.receive({ number: '1', text: 'later' });
		await until(() => JSON.stringify(seen).includes('later'));
		expect(JSON.stringify(seen).split('just now')).toHaveLength(2);
	});

	test('leaves nothing behind', async () => {
		await watch();
		expect(account.changes.listenerCount('change')).toBe(1);
		source.close();
		await until(() => account.changes.listenerCount('change') === 0);
	});
});
