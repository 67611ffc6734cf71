import type { Browser, Page } from 'playwright-core';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { readQrCode } from '../../tools/qrReader';
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
	service = await startService({ clientId: 'a client', token: 'a token' });
	page = await (await openContext(browser)).newPage();
});

afterAll(async () => {
	if (page) await saveScreenshot(page, 'at the end of/the phone');
	await browser?.close();
	await service?.close();
});

const chatWith = (number: string) => page.getByRole('list', { name: `Chat with +${number}` });

async function expectQrCode(): Promise<void> {
	const qr = page.getByRole('img', { name: 'QR code' });
	await waitForPicture(qr);
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
}

test('the page of the phone scans, shows what is sent, writes, and logs out', async () => {
	await page.goto(service.url);
	await expectQrCode();
	await page.getByRole('button', { name: 'Scan' }).click();
	await waitForVisible(page.getByText('No messages yet.'));
	expect(service.account.isConnected).toBe(true);

	const picture = `${service.url}/pictures/sample.png`;
	service.account.send({ number: '12025550143', picture, caption: 'Good morning' });
	await waitForVisible(chatWith('12025550143').getByText('Good morning'));
	await waitForPicture(chatWith('12025550143').getByRole('img', { name: 'Image: Good morning' }));

	await page.getByLabel('From number').fill('+1 202 555 0199');
	await page.keyboard.press('Tab');
	await page.keyboard.type('<a href="https://example.com/a">b</a>');
	await page.keyboard.press('Enter');
	const written = chatWith('12025550199').locator('p');
	await waitForVisible(written);
	expect(await written.textContent()).toBe('<a href="https://example.com/a">b</a>');
	const links = written.locator('a');
	expect(await links.allTextContents()).toEqual(['https://example.com/a']);
	expect(await links.getAttribute('rel')).toBe('noopener noreferrer');

	await page.getByRole('button', { name: 'Log out' }).click();
	await expectQrCode();
	expect(await chatWith('12025550199').isVisible()).toBe(false);
});
