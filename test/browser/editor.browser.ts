import type { Browser, BrowserContext, Page } from 'playwright-core';

import { allowFraming, startSplitView, type SplitView } from '../../demo/splitView';
import { BASICS, importExamples } from '../../tools/n8n/examples';
import { readQrCode } from '../../tools/qrReader';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { startRealN8n, type RealN8n } from '../n8n/realN8n';
import { freePort } from '../support/ports';
import { keep, openContext, see, seePicture, startChromium } from './chromium';
import { Editor, executed, logIn, nodeOf } from './editor';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };

let browser: Browser;
let loggedIn: BrowserContext;
let servicePort: number;
let service: EmbeddedService;
let n8n: RealN8n;
let desk: SplitView;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	browser = await startChromium();
	servicePort = await freePort();
	const serviceUrl = `http://127.0.0.1:${servicePort}`;
	const credential = { baseUrl: serviceUrl, ...CREDENTIALS };
	const port = await freePort();
	n8n = await startRealN8n(async (home) => await importExamples(home, credential), {
		env: allowFraming(port),
	});
	const basics = `${n8n.rest.url}/workflow/${BASICS}`;
	desk = await startSplitView(port, { n8n: basics, phone: serviceUrl }, n8n.rest.cookie);
	loggedIn = await openContext(browser);
	await logIn(loggedIn, n8n.rest);
});

afterAll(async () => {
	await browser?.close();
	await desk?.close();
	await n8n?.stop();
});

beforeEach(async () => {
	service = await startService(CREDENTIALS, servicePort);
	service.account.scan(service.account.qrText);
	page = await loggedIn.newPage();
	editor = new Editor(page);
});

afterEach(async () => {
	try {
		await keep(page, `at the end of/${expect.getState().currentTestName}`);
	} finally {
		await page.close();
		await service.close();
	}
});

/** What the service takes as image. */
const picture = () => `${service.url}/pictures/sample.png`;

const recipients = () => [
	{ name: 'Ada', phone: '+1 202 555 0143', picture: picture() },
	{ name: 'Grace', phone: '+1 202 555 0176', picture: picture() },
];

/** A workflow whose trigger gives these items, with Send Image open behind it. */
async function startSends(items: object[]): Promise<void> {
	await editor.startWorkflow(n8n.rest.url);
	await editor.addAction('Send image');
	await page.getByTestId('floating-node').click();
	await editor.input.waitFor({ state: 'hidden' });
	await editor.setOutput(items);
	await page.getByTestId('floating-node').click();
	await editor.drag('phone', 'number', '+1 202 555 0143');
	await editor.drag('picture', 'url', picture());
	await editor.drag('name', 'caption', 'Ada');
}

describe('the node panel', () => {
	/** Each from an empty search, so that it is not the entry of the one before that is seen. */
	async function findsWith(...texts: string[]): Promise<void> {
		for (const text of texts) {
			await editor.search('');
			await editor.found('Messaging Account').waitFor({ state: 'hidden' });
			await editor.search(text);
			await see(editor.found('Messaging Account'));
		}
	}

	test('finds the node by its name, and by what people would type', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await findsWith('messaging account', 'send image', 'QR', 'messages', 'photo');
	});

	test('finds the trigger in the same way', async () => {
		await page.goto(`${n8n.rest.url}/workflow/new`);
		await page.getByTestId('canvas-add-button').click();
		await findsWith('messaging account', 'new messages', 'logged out');
	});

	test('claims no brand', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await editor.search('whatsapp');
		await see(editor.found('WhatsApp Business Cloud'));
		expect(await editor.found('Messaging Account').count()).toBe(0);
	});

	test('lists what the node does, and adds it to the canvas', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await editor.search('messaging account');
		await see(
			page.getByText('Sends images, gets messages and reads the status, and starts the workflow'),
		);
		await editor.found('Messaging Account').click();
		for (const action of ['Get messages', 'Get status', 'Send image']) {
			await see(editor.found(action));
		}
		await page.getByText('Triggers (2)').click();
		await see(editor.found('On new message'));
		await see(editor.found('On connection changed'));
		await keep(page, 'node-panel');

		await editor.choose('Send image');
		await editor.close();
		await see(editor.node('Messaging Account').getByText('Send Image'));
	});

	test('shows the icon for the dark theme there', async () => {
		await page.emulateMedia({ colorScheme: 'dark' });
		await editor.startWorkflow(n8n.rest.url);
		await editor.addAction('Send image');
		await keep(page, 'send-image-dark');
		await editor.close();
		const icon = editor.node('Messaging Account').locator('img');
		await see(icon);
		expect(await icon.getAttribute('src')).toMatch(/\/messagingAccount\.dark\.svg$/);
		await keep(page, 'canvas-dark');
	});
});

describe('Send Image', () => {
	test('with dragged fields sends one image for each item, and the phone shows them', async () => {
		await startSends(recipients());
		await see(
			editor.output.getByText('Images go out one after another, in the order of the input.'),
		);
		await keep(page, 'send-image');
		await editor.execute();
		await see(editor.output.getByText('2 items'));
		await editor.view('table');
		const sent = service.account.messages;
		expect(sent).toMatchObject([
			{ number: '12025550143', url: picture(), caption: 'Ada' },
			{ number: '12025550176', url: picture(), caption: 'Grace' },
		]);
		for (const { id } of sent) await see(editor.output.getByText(id));
		await keep(page, 'send-image-output');

		await page.goto(service.url);
		for (const [number, name] of [
			['12025550143', 'Ada'],
			['12025550176', 'Grace'],
		]) {
			const chat = page.getByRole('list', { name: `Chat with +${number}` });
			await seePicture(chat.getByRole('img', { name: `Image: ${name}` }));
		}
	});

	test('says which item cannot be sent, and why', async () => {
		await startSends([recipients()[0], { ...recipients()[1], phone: 'call me' }]);
		await editor.execute();
		const failure = editor.output.getByTestId('node-error-message');
		await see(failure.getByText("'Number' is not a phone number [item 1]"));
		const rest = 'The image was not sent. Items completed before the stop: 1 of 2.';
		await see(editor.output.getByText(rest));
		await keep(page, 'send-image-stopped');
	});

	test('parts what failed from what was sent with the error output', async () => {
		await startSends([recipients()[0], { ...recipients()[1], phone: 'call me' }]);
		await editor.details.getByTestId('tab-settings').click();
		await editor.parameter('onError').click();
		await page.getByRole('option', { name: 'Continue (using error output)' }).click();
		await editor.execute();
		await see(editor.output.getByText('Success Branch (1 item)'));
		await editor.output.getByText('Error Branch (1 item)').click();
		await editor.view('schema');
		await see(editor.output.getByText("'Number' is not a phone number [item 1]"));
		await see(editor.output.getByText('notSent'));
		await keep(page, 'send-image-error-output');
	});
});

test('Get Status shows the QR code as a picture that can be scanned', async () => {
	service.account.logOut();
	await editor.startWorkflow(n8n.rest.url);
	await editor.addAction('Get status');
	await editor.execute();
	await see(editor.output.getByText('The account is not connected. Open the tab'));
	await editor.view('binary');
	await editor.output.getByTestId('ndv-view-binary-data').click();
	const qr = editor.output.getByTestId('ndv-data-container').getByRole('img');
	await seePicture(qr);
	await keep(page, 'qr-code');
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
});

test('Schedule Trigger and Get Messages give a table of the messages', async () => {
	service.account.receive({ number: '12025550199', text: 'Is it still open?' });
	await editor.startWorkflow(n8n.rest.url, 'Schedule Trigger');
	await editor.close();
	await editor.addAction('Get messages');
	await see(editor.details.getByText('The service lists the last 100 messages at most'));
	await editor.execute();
	await editor.view('table');
	await see(editor.output.getByText('Is it still open?'));
	await keep(page, 'get-messages');
});

test('the trigger fetches a test event', async () => {
	service.account.receive({ number: '12025550188', text: 'Good evening' });
	await editor.startWorkflow(n8n.rest.url, 'Messaging Account');
	await editor.choose('On new message');
	await see(editor.details.getByText('See what the account has now'));
	await editor.execute();
	await see(editor.output.getByText('Good evening'));
	await keep(page, 'trigger');
});

test('beside the phone a workflow is executed and its effect is seen, without logging in', async () => {
	await page.close();
	page = await (await openContext(browser)).newPage();
	await page.setViewportSize({ width: 1440, height: 800 });
	await page.goto(desk.url);
	const canvas = page.frameLocator('[title=n8n]');
	const phone = page.frameLocator('[title=Phone]');
	await see(nodeOf(canvas, 'Get Messages'));

	await canvas.getByTestId('execute-workflow-button').click();
	await seePicture(phone.getByRole('img', { name: 'Good morning, Ada' }));
	await seePicture(phone.getByRole('img', { name: 'Good morning, Grace' }));
	await executed(canvas);
	await keep(page, 'beside-the-phone');
});

test('beside the phone the QR code is shown and scanned, and executing that step again finds the account connected', async () => {
	service.account.logOut();
	await page.goto(desk.url);
	const canvas = page.frameLocator('[title=n8n]');
	const phone = page.frameLocator('[title=Phone]');
	await canvas.getByTestId('execute-workflow-button').click();
	await executed(canvas);
	await nodeOf(canvas, 'Get Status').dblclick();
	const output = canvas.getByTestId('output-panel');
	await output.getByTestId('ndv-view-binary-data').click();
	await seePicture(output.getByTestId('ndv-data-container').getByRole('img'));
	await keep(page, 'qr-code-beside-the-phone');

	await phone.getByRole('button', { name: 'Scan' }).click();
	await see(phone.getByText('No messages yet.'));
	await canvas.getByTestId('node-execute-button').click();
	await executed(canvas);
	await see(output.getByTestId('run-data-schema-item-value').getByText('true'));
});

describe('the credential', () => {
	test('says what is wrong, and in green that it works, also before the QR code is scanned', async () => {
		service.account.logOut();
		await editor.startWorkflow(n8n.rest.url);
		await editor.addAction('Get status');
		await editor.details.getByTestId('node-credentials-select').click();
		await page.getByText('Create new credential').click();
		const dialog = page.getByTestId('editCredential-modal');
		const fill = async (field: string, value: string) =>
			await dialog.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
		const save = async () => await dialog.getByTestId('credential-save-button').click();

		await fill('baseUrl', service.url);
		await fill('clientId', CREDENTIALS.clientId);
		await fill('token', 'not the token');
		await save();
		await see(dialog.getByText('Couldn’t connect with these settings'));
		await dialog.getByText('More details').click();
		const words = "The service refused these credentials. Check 'Client ID' and 'Token'.";
		await see(dialog.getByText(words));
		await keep(page, 'credential-refused');

		await fill('token', CREDENTIALS.token);
		await save();
		await dialog.waitFor({ state: 'hidden' });
		await editor.details.getByTestId('credential-edit-button').click();
		await see(dialog.getByText('Connection tested successfully'));
		await keep(page, 'credential-accepted');
	});
});
