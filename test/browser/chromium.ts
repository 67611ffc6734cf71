/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- tests run a browser of this machine and keep what it showed */
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

/** Longer than anything here takes on a busy machine; what is not to be seen by then will not come. */
const LIMIT_MS = 60_000;

/** Git-ignored: what the last run showed, step by step. */
export const SCREENSHOTS = join(LOCAL, 'screenshots');

/** Where this machine has no Chromium, gets it from Debian. */
export async function installChromium(): Promise<void> {
	if (findChromium()) return;
	await installFromDebian(
		['chromium'],
		`Where Chromium or Chrome is in a place of its own, set ${VARIABLE} to the file of the program.`,
	);
}

function findChromium(): string | undefined {
	return process.env[VARIABLE] || PROGRAMS.map((name) => findOnPath(name)).find(Boolean);
}

/** Starts Chromium, which reaches nothing but the loopback interface. */
export async function startChromium(): Promise<Browser> {
	// n8n's own name for it.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: findChromium(),
		args: [
			'--disable-gpu',
			'--disable-quic',
			'--disable-sync',
			'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
		],
	});
}

/** A browser window of its own, with nothing in it of any other. */
export async function openContext(browser: Browser): Promise<BrowserContext> {
	const viewport = { width: 1280, height: 800 };
	const context = await browser.newContext({ viewport, colorScheme: 'light', locale: 'en-US' });
	context.setDefaultTimeout(LIMIT_MS);
	return context;
}

/** Waits until something can be seen, and fails where it does not come. */
export async function see(locator: Locator): Promise<void> {
	await locator.waitFor({ state: 'visible' });
}

/** The same for a picture: that there is one, and not only a place for it. */
export async function seePicture(locator: Locator): Promise<void> {
	await see(locator);
	// Fails where it cannot be loaded.
	await locator.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode());
}

/** Keeps what a page, or a part of it, shows at this moment. */
export async function keep(part: Page | Locator, name: string): Promise<void> {
	await part.screenshot({ path: join(SCREENSHOTS, `${name}.png`) });
}
