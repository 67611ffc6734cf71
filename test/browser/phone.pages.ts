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
		await waitUntil('the last image in view', () => isInView('Image 6'));
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

describe('links in texts and captions', () => {
	/** Text → addresses that can be clicked. */
	const CASES: Array<[string, string[]]> = [
		['https://example.com/a?b=1&c=ä#d', ['https://example.com/a?b=1&c=ä#d']],
		['See http://example.com/a. Bye', ['http://example.com/a']],
		[
			'(see HTTPS://example.com/a), "https://example.com/b"!',
			['HTTPS://example.com/a', 'https://example.com/b'],
		],
		[
			'https://example.com/A_(b) and (https://example.com/A_(b))',
			['https://example.com/A_(b)', 'https://example.com/A_(b)'],
		],
		[
			'Two: https://example.com/1\nhttps://example.com/2...',
			['https://example.com/1', 'https://example.com/2'],
		],
		['请看https://example.com/图。谢谢', ['https://example.com/图']],
		['javascript:alert(1) ftp://example.com/ data:text/html,x www.example.com', []],
		['http://. https://[ xhttp://example.com/', []],
		['<a href="https://example.com/a">b</a>', ['https://example.com/a']],
	];

	test('can be clicked, without the punctuation of the sentence', async () => {
		scan();
		CASES.forEach(([text], i) => service.account.receive({ number: String(i + 1), text }));
		await page.goto(service.url);
		await waitForVisible(chatWith(String(CASES.length)));
		for (const [i, [text, addresses]] of CASES.entries()) {
			const bubble = chatWith(String(i + 1)).locator('p');
			expect(await bubble.textContent()).toBe(text);
			expect(await bubble.locator('a').allTextContents()).toEqual(addresses);
			for (const link of await bubble.locator('a').all()) {
				expect(await link.getAttribute('href')).toBe(await link.textContent());
				expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
			}
		}
	});

	test('open in a new tab', async () => {
		scan();
		service.account.send({
			number: '1',
			picture: picture(),
			caption: `${service.url}/openapi.json`,
		});
		await page.goto(service.url);
		const opened = page.waitForEvent('popup');
		await chatWith('1').getByRole('link').click();
		expect((await opened).url()).toBe(`${service.url}/openapi.json`);
		expect(page.url()).toBe(`${service.url}/`);
	});
});

test('a text that reads from right to left is on the right, and others stay on the left', async () => {
	scan();
	service.account.send({ number: '1', picture: picture(), caption: 'שלום!' });
	service.account.send({ number: '2', picture: picture(), caption: 'Hello!' });
	await page.goto(service.url);
	await waitForVisible(chatWith('1').getByText('שלום!'));
	/** Empty space on the left and on the right of the text in its bubble. */
	const spaceIn = async (number: string) =>
		await page.evaluate<[number, number]>(`(() => {
			const paragraph = document.querySelector('[aria-label="Chat with +${number}"] p');
			const range = document.createRange();
			range.selectNodeContents(paragraph);
			const [bubble, text] = [paragraph, range].map((box) => box.getBoundingClientRect());
			return [text.left - bubble.left, bubble.right - text.right];
		})()`);
	const [left, right] = await spaceIn('1');
	expect(right).toBeLessThan(2);
	expect(left).toBeGreaterThan(50);
	expect((await spaceIn('2'))[0]).toBeLessThan(2);
});

test('a picture fills its bubble, whatever its caption', async () => {
	scan();
	const captions = ['A', 'a caption that is much longer than the picture is wide '.repeat(3)];
	for (const caption of captions) {
		service.account.send({ number: '1', picture: picture(), caption });
	}
	await page.goto(service.url);
	const bubbles = chatWith('1').getByRole('listitem');
	for (const i of [0, 1]) {
		const image = bubbles.nth(i).getByRole('img');
		await waitForPicture(image);
		const [inner, outer] = [(await image.boundingBox())!, (await bubbles.nth(i).boundingBox())!];
		expect(inner.x - outer.x).toBeCloseTo(outer.x + outer.width - inner.x - inner.width, 0);
		expect(outer.width - inner.width).toBeLessThan(16);
	}
});

describe('a chat that is clicked', () => {
	const number = () => page.getByLabel('From number');
	const focused = (field: Locator) => field.and(page.locator(':focus'));

	beforeEach(async () => {
		scan();
		service.account.receive({ number: '12025550143', text: 'See https://127.0.0.1/' });
		service.account.receive({ number: '12025550176', text: 'Hello' });
		await page.goto(service.url);
		await waitForVisible(page.getByText('Hello'));
	});

	test('is the one to write in', async () => {
		await chatWith('12025550143')
			.getByText('See')
			.click({ position: { x: 5, y: 5 } });
		await waitForVisible(focused(page.getByLabel('Message')));
		await page.keyboard.type('Is it still open?');
		await page.keyboard.press('Enter');
		await waitForVisible(chatWith('12025550143').getByText('Is it still open?'));
		await page.getByText('Hello').click();
		expect(await number().inputValue()).toBe('+12025550176');
	});

	test('is the one to write in, with the keyboard', async () => {
		await chatWith('12025550143').focus();
		await page.keyboard.press('Enter');
		await waitForVisible(focused(page.getByLabel('Message')));
		expect(await number().inputValue()).toBe('+12025550143');
		expect(service.account.messages).toHaveLength(2);
	});

	test('can be closed and opened by its number, which keeps the focus', async () => {
		const summary = page.locator('summary', { hasText: '+12025550176' });
		await summary.focus();
		await page.keyboard.press('Enter');
		await page.getByText('Hello').waitFor({ state: 'hidden' });
		expect(await number().inputValue()).toBe('+12025550176');
		await waitForVisible(focused(summary));
		await page.keyboard.press('Space');
		await waitForVisible(page.getByText('Hello'));
		await summary.click();
		await page.getByText('Hello').waitFor({ state: 'hidden' });
	});

	test('still lets its text be selected, and its links be opened', async () => {
		const opened = page.waitForEvent('popup');
		await page.getByRole('link').click();
		await opened;
		await waitForVisible(focused(page.getByRole('link')));
		await page.getByText('Hello').dblclick();
		expect(await page.evaluate('String(getSelection())')).toBe('Hello');
	});
});

describe('what one writes comes into view', () => {
	const bubble = (text: string) => page.getByRole('listitem').getByText(text, { exact: true });

	/** Whether neither the list of chats nor the chat itself has scrolled it away. */
	async function isInView(text: string): Promise<boolean> {
		const { y, height } = (await bubble(text).boundingBox())!;
		const lists = page.getByRole('list').filter({ has: bubble(text) });
		const boxes = await Promise.all(
			(await lists.all()).map(async (list) => await list.boundingBox()),
		);
		expect(boxes).toHaveLength(2);
		return boxes.every((box) => box!.y <= y && y + height <= box!.y + box!.height);
	}

	const waitUntilInView = (text: string) => waitUntil(`'${text}' in view`, () => isInView(text));

	beforeEach(async () => {
		scan();
		for (let chat = 1; chat <= 12; chat++) {
			for (const text of ['a', 'b', 'c', 'd']) {
				service.account.receive({ number: `100${chat}`, text: `${text} ${chat}` });
			}
		}
		await page.goto(service.url);
		await waitForVisible(page.getByText('d 12'));
	});

	async function write(number: string, text: string): Promise<void> {
		await page.getByLabel('From number').fill(number);
		await page.getByLabel('Message').fill(text);
		await page.keyboard.press('Enter');
		await bubble(text).waitFor({ state: 'attached' });
	}

	test('in a chat far below', async () => {
		await write('1001', 'from below');
		await waitUntilInView('from below');
	});

	test('while the chats at the end are shown', async () => {
		await bubble('d 1').scrollIntoViewIfNeeded();
		await write('10012', 'from above');
		await waitUntilInView('from above');
	});

	test('in a chat that stays in its place because it has the focus', async () => {
		await page.getByLabel('From number').fill('1001');
		await page.getByLabel('Message').fill('in its place');
		await page.locator('summary', { hasText: '+1001' }).last().focus();
		await bubble('d 12').scrollIntoViewIfNeeded();
		await page.evaluate("document.querySelector('form').requestSubmit()");
		await bubble('in its place').waitFor({ state: 'attached' });
		await waitUntilInView('in its place');
	});

	test('in a closed chat', async () => {
		await page.locator('summary', { hasText: '+10012' }).click();
		await write('10012', 'from a closed chat');
		await waitUntilInView('from a closed chat');
	});

	test('but a message that somebody else sends does not move the list', async () => {
		await bubble('d 1').scrollIntoViewIfNeeded();
		service.account.receive({ number: '10012', text: 'from elsewhere' });
		await bubble('from elsewhere').waitFor({ state: 'attached' });
		expect(await isInView('d 1')).toBe(true);
	});
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
