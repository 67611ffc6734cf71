import { join } from 'node:path';

import {
	chromium,
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';

import { LOCAL } from '../../tools/n8n/install';
import { findOnPath, installFromDebian } from '../support/programs';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const VARIABLE = 'TEST_CHROMIUM';

/** Longer than any step takes on a busy machine. */
const TIMEOUT_MS = 60_000;

/** Enough for a movement that the eye can follow. */
const MOUSE_STEPS = 20;

/** Screenshots of the last run, step by step; ignored by git. */
export const SCREENSHOTS = join(LOCAL, 'screenshots');

/** Installs Chromium from Debian if it is missing. */
export async function installChromium(): Promise<void> {
	if (findChromium()) return;
	const advice = `If Chromium or Chrome is elsewhere, set ${VARIABLE} to the path of the program.`;
	await installFromDebian(['chromium'], advice);
}

function findChromium(): string | undefined {
	return process.env[VARIABLE] || PROGRAMS.map((name) => findOnPath(name)).find(Boolean);
}

/** Starts Chromium with access to the loopback interface only. */
export async function startChromium(): Promise<Browser> {
	// The attribute that n8n uses.
	selectors.setTestIdAttribute('data-test-id');
	const resolver = '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1';
	const args = ['--disable-gpu', '--disable-quic', '--disable-sync', resolver];
	return await chromium.launch({ executablePath: findChromium(), args });
}

/** Opens a browser window that shares no data with others. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
	const viewport = { width: 1280, height: 800 };
	const context = await browser.newContext({ viewport, colorScheme: 'light', locale: 'en-US' });
	context.setDefaultTimeout(TIMEOUT_MS);
	return context;
}

/** Waits until an element is visible, and fails if it does not appear. */
export async function waitForVisible(locator: Locator): Promise<void> {
	await locator.waitFor({ state: 'visible' });
}

/** Waits until a picture is visible and loaded. */
export async function waitForPicture(locator: Locator): Promise<void> {
	await waitForVisible(locator);
	// Rejects if the picture cannot be loaded.
	await locator.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
}

/** Saves a screenshot of a page or an element. */
export async function saveScreenshot(target: Page | Locator, name: string): Promise<void> {
	// Fast-forwarded, or a dialog is caught half way.
	await target.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: 'disabled' });
}

/** Moves the mouse to the middle of an element, on a straight line and not in one leap. */
export async function moveMouse(target: Locator): Promise<void> {
	// Waits until the element itself has stopped moving.
	await target.scrollIntoViewIfNeeded();
	const { x, y, width, height } = (await target.boundingBox())!;
	await target.page().mouse.move(x + width / 2, y + height / 2, { steps: MOUSE_STEPS });
}
