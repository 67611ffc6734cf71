import type { Browser, Locator, Page } from 'playwright-core';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { readQrCode } from '../../tools/qrReader';
import { waitUntil } from '../support/waitUntil';
import {
	openContext,
	saveScreenshot,
	startChromium,
	waitForPicture,
	waitForVisible,
} from './chromium';

let browser: Browser;
let service: EmbeddedService;
let page: Page;

beforeAll(async () => {
	browser = await startChromium();
});

afterAll(async () => {
	await browser?.close();
});

beforeEach(async () => {
	service = await startService({ clientId: 'a client', token: 'a token' });
	page = await (await openContext(browser)).newPage();
	await page.setViewportSize({ width: 420, height: 800 });
});

afterEach(async () => {
	try {
		await saveScreenshot(page, `at the end of/the phone ${expect.getState().currentTestName}`);
	} finally {
		await page.context().close();
		await service.close();
	}
});

const scan = () => service.account.scan(service.account.qrText);
const picture = () => `${service.url}/pictures/sample.png`;
const chatWith = (number: string) => page.getByRole('list', { name: `Chat with +${number}` });

test('shows the QR code while not linked, and links the account when it is scanned', async () => {
	await page.goto(service.url);
	await waitForVisible(page.getByText('A stand-in for the phone of the messaging account.'));
	const qr = page.getByRole('img', { name: 'QR code' });
	await waitForPicture(qr);
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
	await saveScreenshot(page, 'phone-not-linked');
	await page.getByRole('button', { name: 'Scan' }).click();
	await waitForVisible(page.getByText('No messages yet.'));
	expect(service.account.isConnected).toBe(true);
});

test('shows each image in its chat as it is sent', async () => {
	scan();
	await page.goto(service.url);
	await waitForVisible(page.getByText('No messages yet.'));
	service.account.send({ number: '12025550143', picture: picture(), caption: 'Good morning' });
	service.account.send({ number: '12025550176', picture: picture() });
	await waitForVisible(chatWith('12025550143').getByText('Good morning'));
	await waitForPicture(chatWith('12025550143').getByRole('img', { name: 'Image: Good morning' }));
	await waitForPicture(
		chatWith('12025550176').getByRole('img', { name: 'Image without a caption' }),
	);
	await saveScreenshot(page, 'phone-linked');
	await page.emulateMedia({ colorScheme: 'dark' });
	await saveScreenshot(page, 'phone-dark');
});

describe('keeps the newest message of a chat in view', () => {
	const bottomOf = async (locator: Locator) => {
		const { y, height } = (await locator.boundingBox())!;
		return y + height;
	};
	const isInView = async (text: string) =>
		(await bottomOf(chatWith('1').getByText(text))) <= (await bottomOf(chatWith('1')));

	beforeEach(async () => {
		scan();
		await page.goto(service.url);
	});

	test('images', async () => {
		for (let i = 1; i <= 6; i++) {
			// A different address each time bypasses the cache.
			const path = `${picture()}?${i}`;
			service.account.send({ number: '1', picture: path, caption: `Image ${i}` });
			await waitForPicture(page.getByRole('img', { name: `Image ${i}` }));
		}
		await waitUntil(async () => await isInView('Image 6'));
	});

	test('texts', async () => {
		for (let i = 1; i <= 20; i++) service.account.receive({ number: '1', text: `Text ${i}` });
		await waitForVisible(chatWith('1').getByText('Text 20'));
		expect(await isInView('Text 20')).toBe(true);
	});
});

test('shows earlier messages, with the newest chat first', async () => {
	scan();
	service.account.receive({ number: '1', text: 'first' });
	service.account.receive({ number: '2', text: 'second' });
	service.account.receive({ number: '1', text: 'third' });
	await page.goto(service.url);
	await waitForVisible(page.getByText('third'));
	expect(await page.getByRole('list', { name: 'Chat with' }).allInnerTexts()).toEqual([
		expect.stringMatching(/^first[^]*third/),
		expect.stringMatching(/^second/),
	]);
});

test('can be used with the keyboard alone', async () => {
	await page.goto(service.url);
	await waitForVisible(page.getByRole('button', { name: 'Scan' }));
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await waitForVisible(page.getByText('No messages yet.'));

	await waitForVisible(page.getByRole('button', { name: 'Log out' }).and(page.locator(':focus')));
	await page.keyboard.press('Tab');
	await page.keyboard.type('+1 202 555 0199');
	await page.keyboard.press('Tab');
	await page.keyboard.type('Is it still open?');
	await page.keyboard.press('Enter');
	await waitForVisible(chatWith('12025550199').getByText('Is it still open?'));
	expect(service.account.lastMessages()).toMatchObject([
		{ direction: 'incoming', number: '12025550199', text: 'Is it still open?' },
	]);
});

test('does not accept an invalid number', async () => {
	scan();
	await page.goto(service.url);
	const posts: string[] = [];
	page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()));
	const sendFrom = async (number: string) => {
		await page.getByLabel('From number').fill(number);
		await page.getByLabel('Message').fill('Hello');
		await page.getByRole('button', { name: 'Write' }).click();
	};
	await sendFrom('Ada');
	await sendFrom('(030) 90-12');
	await waitForVisible(chatWith('0309012').getByText('Hello'));
	expect(posts).toHaveLength(1);
});

test('shows a new QR code and no chats after logging out', async () => {
	scan();
	service.account.receive({ number: '1', text: 'Hello' });
	await page.goto(service.url);
	await waitForVisible(page.getByText('Hello'));
	await page.getByRole('button', { name: 'Log out' }).click();
	const qr = page.getByRole('img', { name: 'QR code' });
	await waitForPicture(qr);
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
	expect(await page.getByText('Hello').isVisible()).toBe(false);
});

test('shows HTML in a message as text', async () => {
	scan();
	const text = '<img src=x onerror="document.title=1"> & more';
	service.account.receive({ number: '1', text });
	await page.goto(service.url);
	await waitForVisible(page.getByText(text));
});

test('reports when the service is down, and continues when it is back', async () => {
	scan();
	const port = Number(new URL(service.url).port);
	await page.goto(service.url);
	await waitForVisible(page.getByText('No messages yet.'));
	const { account } = service;
	await service.close();
	await waitForVisible(page.getByText('The embedded service does not answer.'));
	account.receive({ number: '1', text: 'meanwhile' });
	service = await startService({ clientId: 'a client', token: 'a token' }, port, account);
	await waitForVisible(page.getByText('meanwhile'));
	await page.getByRole('alert').first().waitFor({ state: 'hidden' });
});
