import type { Browser, Page } from 'playwright-core';

import { readQrCode } from '../../demo/qrReader';
import { startService, type EmbeddedService } from '../../demo/service/service';
import { keep, openContext, see, startChromium } from './chromium';

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
	await keep(page, `at the end of/the phone ${expect.getState().currentTestName}`);
	await page.context().close();
	await service.close();
});

const scan = () => service.account.scan(service.account.qrText);
const picture = () => `${service.url}/pictures/sample.png`;
const chatWith = (number: string) => page.getByRole('list', { name: `Chat with +${number}` });
/** A picture that was loaded has a size of its own; one that was not is the text that stands for it. */
const sizeOf = async (name: string) =>
	await page
		.getByRole('img', { name })
		.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth);

test('not linked, it shows the QR code, and links the account when that is scanned', async () => {
	await page.goto(service.url);
	await see(page.getByText('A stand-in for the phone of the messaging account.'));
	const qr = page.getByRole('img', { name: 'QR code' });
	await see(qr);
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
	await keep(page, 'phone-not-linked');
	await page.getByRole('button', { name: 'Scan' }).click();
	await see(page.getByText('No messages yet.'));
	expect(service.account.isConnected).toBe(true);
});

test('shows each image that is sent, in its chat, as it goes out', async () => {
	scan();
	await page.goto(service.url);
	await see(page.getByText('No messages yet.'));
	service.account.send({ number: '12025550143', url: picture(), caption: 'Good morning' });
	service.account.send({ number: '12025550176', url: picture() });
	await see(chatWith('12025550143').getByText('Good morning'));
	await see(chatWith('12025550176').getByRole('img', { name: 'Image without a caption' }));
	expect(await sizeOf('Image: Good morning')).toBe(320);
	await keep(page, 'phone-linked');
	await page.emulateMedia({ colorScheme: 'dark' });
	await keep(page, 'phone-dark');
});

test('shows what was sent before it was opened, the newest chat first', async () => {
	scan();
	service.account.receive({ number: '1', text: 'first' });
	service.account.receive({ number: '2', text: 'second' });
	service.account.receive({ number: '1', text: 'third' });
	await page.goto(service.url);
	await see(page.getByText('third'));
	expect(await page.getByRole('list', { name: 'Chat with' }).allInnerTexts()).toEqual([
		expect.stringMatching(/^first[^]*third/),
		expect.stringMatching(/^second/),
	]);
});

test('can be used with the keyboard alone', async () => {
	await page.goto(service.url);
	await see(page.getByRole('button', { name: 'Scan' }));
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await see(page.getByText('No messages yet.'));

	await page.keyboard.press('Tab');
	await page.keyboard.type('+1 202 555 0199');
	await page.keyboard.press('Tab');
	await page.keyboard.type('Is it still open?');
	await page.keyboard.press('Enter');
	await see(chatWith('12025550199').getByText('Is it still open?'));
	expect(service.account.lastMessages()).toMatchObject([
		{ direction: 'incoming', number: '12025550199', text: 'Is it still open?' },
	]);
});

test('does not take a number that is none', async () => {
	scan();
	await page.goto(service.url);
	await page.getByLabel('From number').fill('Ada');
	await page.getByLabel('Message').fill('Hello');
	await page.getByRole('button', { name: 'Write' }).click();
	await see(page.locator('input:invalid'));
	expect(service.account.lastMessages()).toEqual([]);
});

test('logged out, it shows another QR code and no chats', async () => {
	scan();
	service.account.receive({ number: '1', text: 'Hello' });
	await page.goto(service.url);
	await see(page.getByText('Hello'));
	await page.getByRole('button', { name: 'Log out' }).click();
	const qr = page.getByRole('img', { name: 'QR code' });
	await see(qr);
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
	expect(await page.getByText('Hello').isVisible()).toBe(false);
});

test('takes text for text, whatever is in it', async () => {
	scan();
	const text = '<img src=x onerror="document.title=1"> & more';
	service.account.receive({ number: '1', text });
	await page.goto(service.url);
	await see(page.getByText(text));
});

test('says so when the service is gone, and goes on when it is back', async () => {
	scan();
	const port = Number(new URL(service.url).port);
	await page.goto(service.url);
	await see(page.getByText('No messages yet.'));
	const { account } = service;
	await service.close();
	await see(page.getByText('The embedded service does not answer.'));
	account.receive({ number: '1', text: 'meanwhile' });
	service = await startService({ clientId: 'a client', token: 'a token' }, port, account);
	await see(page.getByText('meanwhile'));
	await page.getByRole('alert').first().waitFor({ state: 'hidden' });
});
