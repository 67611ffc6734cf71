import type { Browser, Locator, Page } from 'playwright-core';

import { allowFraming, startSplitView, type SplitView } from '../../demo/splitView';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { startRealN8n, type RealN8n } from '../n8n/realN8n';
import { findFreePort } from '../support/ports';
import {
	openContext,
	saveScreenshot,
	startChromium,
	waitForPicture,
	waitForVisible,
} from './chromium';

let browser: Browser;
let service: EmbeddedService;
let n8n: RealN8n;
let splitView: SplitView;
let page: Page;

beforeAll(async () => {
	browser = await startChromium();
	service = await startService({ clientId: 'a client', token: 'a token' });
	service.account.scan(service.account.qrText);
	const port = await findFreePort();
	n8n = await startRealN8n(undefined, { env: allowFraming(port) });
	const urls = { n8n: `${n8n.rest.url}/workflow/new`, phone: service.url };
	splitView = await startSplitView(port, urls, n8n.rest.cookie);
});

afterAll(async () => {
	await browser?.close();
	await splitView?.close();
	await n8n?.stop();
	await service?.close();
});

beforeEach(async () => {
	page = await (await openContext(browser)).newPage();
	await page.goto(splitView.url);
	await waitForFrames();
});

afterEach(async () => {
	try {
		const { currentTestName } = expect.getState();
		await saveScreenshot(page, `at the end of/the split view ${currentTestName}`);
	} finally {
		await page.context().close();
	}
});

const phone = () => page.getByRole('complementary', { name: 'Phone' });
const phoneForm = () => page.frameLocator('[title=Phone]').getByLabel('From number');
const separator = () => page.getByRole('separator', { name: 'Width of the phone' });
const toggle = () => page.locator('button');

async function waitForFrames(): Promise<void> {
	await waitForVisible(page.frameLocator('[title=n8n]').getByTestId('canvas-add-button'));
	await waitForVisible(phoneForm());
}

async function widthOf(locator: Locator): Promise<number> {
	return (await locator.boundingBox())!.width;
}

/** Drags the separator over one of the frames, and then moves the mouse on without the button. */
async function dragSeparator(by: number): Promise<void> {
	const { x, y, width, height } = (await separator().boundingBox())!;
	const from = x + width / 2;
	await page.mouse.move(from, y + height / 2);
	await page.mouse.down();
	// Until it has drawn the page, Chromium does not know that the frames ignore the pointer.
	await page.evaluate(
		'new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))',
	);
	await page.mouse.move(from + by, y + height / 2, { steps: 8 });
	await page.mouse.up();
	await page.mouse.move(from + 2 * by, y + height / 2);
}

/** Waits until assistive technology reads this width. */
async function waitForAnnounced(width: number): Promise<void> {
	const announced = page.locator(`[aria-valuenow="${Math.round(width)}"]`);
	await waitForVisible(separator().and(announced));
}

test.each([
	[1280, 1280 * 0.22],
	[1920, 24 * 16],
	[1000, 16 * 16],
])('in a window of %d pixels, the phone has %d', async (window, expected) => {
	await page.setViewportSize({ width: window, height: 800 });
	expect(await widthOf(phone())).toBeCloseTo(expected, 0);
	expect(await widthOf(page.getByTitle('n8n'))).toBeGreaterThan(window - expected - 30);
	await saveScreenshot(page, `split-view-${window}`);
});

test('the separator can be dragged over both frames', async () => {
	const width = await widthOf(phone());
	await dragSeparator(-150);
	expect(await widthOf(phone())).toBeCloseTo(width + 150, 0);
	await waitForAnnounced(width + 150);
	await dragSeparator(100);
	expect(await widthOf(phone())).toBeCloseTo(width + 50, 0);
	await waitForAnnounced(width + 50);
});

test('the separator can be moved with the keyboard', async () => {
	const width = await widthOf(phone());
	await toggle().focus();
	await page.keyboard.press('Tab');
	await waitForVisible(separator().and(page.locator(':focus')));
	await page.keyboard.press('ArrowLeft');
	expect(await widthOf(phone())).toBeCloseTo(width + 16, 0);
	await waitForAnnounced(width + 16);
	await page.keyboard.press('ArrowRight');
	await page.keyboard.press('ArrowRight');
	expect(await widthOf(phone())).toBeCloseTo(width - 16, 0);
	await waitForAnnounced(width - 16);
});

test('the separator stops where the phone or n8n would get too narrow', async () => {
	await dragSeparator(250);
	expect(await widthOf(phone())).toBe(256);
	expect(await separator().getAttribute('aria-valuemin')).toBe('256');
	await dragSeparator(-700);
	expect(await widthOf(phone())).toBe(640);
	expect(await separator().getAttribute('aria-valuemax')).toBe('640');
});

test('the width is still there after a reload', async () => {
	const width = await widthOf(phone());
	await dragSeparator(-100);
	await page.reload();
	await waitForFrames();
	expect(await widthOf(phone())).toBeCloseTo(width + 100, 0);
	await waitForAnnounced(width + 100);
});

test('the phone can be hidden and shown with the mouse, and keeps what is in it', async () => {
	await phoneForm().fill('12025550143');
	await page.getByRole('button', { name: 'Hide phone', expanded: true }).click();
	await phone().waitFor({ state: 'hidden' });
	await separator().waitFor({ state: 'hidden' });
	expect(await widthOf(page.getByTitle('n8n'))).toBeGreaterThan(1280 - 30);
	await saveScreenshot(page, 'split-view-phone-hidden');
	await page.getByRole('button', { name: 'Show phone', expanded: false }).click();
	await waitForVisible(phone());
	await waitForVisible(separator());
	expect(await phoneForm().inputValue()).toBe('12025550143');
});

test('the phone can be hidden and shown with the keyboard', async () => {
	await toggle().focus();
	await page.keyboard.press('Enter');
	await phone().waitFor({ state: 'hidden' });
	const show = page.getByRole('button', { name: 'Show phone', expanded: false });
	await waitForVisible(show.and(page.locator(':focus')));
	await page.keyboard.press('Space');
	await waitForVisible(phone());
});

test('the phone loads pictures before somebody scrolls to them', async () => {
	for (const number of ['1', '2', '3', '4', '5']) {
		const picture = `${service.url}/pictures/sample.png`;
		service.account.send({ number, picture, caption: `To ${number}` });
	}
	const images = page.frameLocator('[title=Phone]').getByRole('img', { name: 'Image: To' });
	await waitForPicture(images.last());
	expect(await images.count()).toBe(5);
});
