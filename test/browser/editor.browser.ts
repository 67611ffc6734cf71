import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';

import { allowFraming, startSplitView, type SplitView } from '../../demo/splitView';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { BASICS, importExamples } from '../../tools/n8n/exampleWorkflows';
import { readQrCode } from '../../tools/qrReader';
import { saveWorkflow, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { findFreePort } from '../support/ports';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import {
	dropFile,
	moveMouse,
	openContext,
	saveScreenshot,
	SCREENSHOTS,
	startChromium,
	waitForPicture,
	waitForVisible,
} from './chromium';
import { Editor, findNode, logIn, waitForExecution } from './editor';
import { Screencast, showPointer } from './screencast';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };

let browser: Browser;
let loggedIn: BrowserContext;
let servicePort: number;
let service: EmbeddedService;
let n8n: RealN8n;
let splitView: SplitView;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	browser = await startChromium();
	servicePort = await findFreePort();
	const serviceUrl = `http://127.0.0.1:${servicePort}`;
	const credential = { baseUrl: serviceUrl, ...CREDENTIALS };
	const port = await findFreePort();
	n8n = await startRealN8n(async (home) => await importExamples(home, credential), {
		env: allowFraming(port),
	});
	const basics = `${n8n.rest.url}/workflow/${BASICS}`;
	splitView = await startSplitView(port, { n8n: basics, phone: serviceUrl }, n8n.rest.cookie);
	loggedIn = await openContext(browser);
	await logIn(loggedIn, n8n.rest);
});

afterAll(async () => {
	await browser?.close();
	await splitView?.close();
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
		await saveScreenshot(page, `at the end of/${expect.getState().currentTestName}`);
	} finally {
		await page.close();
		await service.close();
	}
});

/** Address of an image that the service accepts. */
const picture = () => `${service.url}/pictures/sample.png`;

const recipients = () => [
	{ name: 'Ada', phone: '+1 202 555 0143', picture: picture() },
	{ name: 'Grace', phone: '+1 202 555 0176', picture: picture() },
];

/** Creates a workflow whose trigger outputs these items, with Send Image open. */
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
	/** Clears the search before each text, so that an earlier result is not mistaken for this one. */
	async function expectFoundWith(...texts: string[]): Promise<void> {
		for (const text of texts) {
			await editor.search('');
			await editor.panelEntry('Messaging Account').waitFor({ state: 'hidden' });
			await editor.search(text);
			await waitForVisible(editor.panelEntry('Messaging Account'));
		}
	}

	test('finds the node by its name and by common search terms', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await expectFoundWith('messaging account', 'send image', 'QR', 'messages', 'photo');
		await expectFoundWith('send message', 'image message', 'photo message', 'reply');
		await expectFoundWith('get message', 'read messages', 'receive message', 'incoming');
	});

	test('finds the trigger by its name and by common search terms', async () => {
		await page.goto(`${n8n.rest.url}/workflow/new`);
		await page.getByTestId('canvas-add-button').click();
		await expectFoundWith('messaging account', 'new messages', 'logged out');
		await expectFoundWith('receive message', 'incoming message', 'get message', 'reply');
	});

	test('does not list the node for a brand name', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await editor.search('whatsapp');
		await waitForVisible(editor.panelEntry('WhatsApp Business Cloud'));
		expect(await editor.panelEntry('Messaging Account').count()).toBe(0);
	});

	test('lists the actions of the node, and adds one to the canvas', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await editor.search('messaging account');
		await waitForVisible(
			page.getByText('Sends images, gets messages and reads the status. Starts the workflow'),
		);
		await editor.panelEntry('Messaging Account').click();
		for (const action of ['Get messages', 'Get status', 'Send image']) {
			await waitForVisible(editor.panelEntry(action));
		}
		await page.getByText('Triggers (2)').click();
		await waitForVisible(editor.panelEntry('On new message'));
		await waitForVisible(editor.panelEntry('On connection changed'));
		await saveScreenshot(page, 'node-panel');

		await editor.choose('Send image');
		await editor.close();
		await waitForVisible(editor.node('Messaging Account').getByText('Send Image'));
	});

	test('shows the icon for the dark theme on the canvas', async () => {
		await page.emulateMedia({ colorScheme: 'dark' });
		await editor.startWorkflow(n8n.rest.url);
		await editor.addAction('Send image');
		await saveScreenshot(page, 'send-image-dark');
		await editor.close();
		const icon = editor.node('Messaging Account').locator('img');
		await waitForVisible(icon);
		expect(await icon.getAttribute('src')).toMatch(/\/messagingAccount\.dark\.svg$/);
		await saveScreenshot(page, 'canvas-dark');
	});
});

describe('Send Image', () => {
	test('sends one image per item with dragged fields, and the phone shows them', async () => {
		await startSends(recipients());
		await waitForVisible(
			editor.output.getByText('The node sends one image for each input item, one after another.'),
		);
		await saveScreenshot(page, 'send-image');
		await editor.execute();
		await waitForVisible(editor.output.getByText('2 items'));
		await editor.view('table');
		const sent = service.account.messages;
		expect(sent).toMatchObject([
			{ number: '12025550143', url: picture(), caption: 'Ada' },
			{ number: '12025550176', url: picture(), caption: 'Grace' },
		]);
		for (const { id } of sent) await waitForVisible(editor.output.getByText(id));
		await saveScreenshot(page, 'send-image-output');

		await page.goto(service.url);
		for (const [number, name] of [
			['12025550143', 'Ada'],
			['12025550176', 'Grace'],
		]) {
			const chat = page.getByRole('list', { name: `Chat with +${number}` });
			await waitForPicture(chat.getByRole('img', { name: `Image: ${name}` }));
		}
	});

	test('with Dry Run, shows what would be sent, and sends nothing', async () => {
		await startSends(recipients());
		await editor.addOption('Dry Run');
		await editor.parameter('dryRun').locator('.el-switch').click();
		await editor.execute();
		await waitForVisible(editor.output.getByText('2 items'));
		await editor.view('table');
		for (const text of ['12025550143', '12025550176', 'Grace']) {
			await waitForVisible(editor.output.getByText(text, { exact: true }));
		}
		await saveScreenshot(page, 'dry-run');
		expect(service.account.messages).toEqual([]);
	});

	test('says which item cannot be sent, and why', async () => {
		await startSends([recipients()[0], { ...recipients()[1], phone: 'call me' }]);
		await editor.execute();
		const error = editor.output.getByTestId('node-error-message');
		await waitForVisible(error.getByText("'call me' is not a phone number [item 1]"));
		const rest = 'The image was not sent. Items completed before the stop: 1 of 2.';
		await waitForVisible(editor.output.getByText(rest));
		await saveScreenshot(page, 'send-image-stopped');
	});

	test('gives the reason of the service first, and does not count a single item', async () => {
		service.account.logOut();
		await startSends([recipients()[0]]);
		await editor.execute();
		const error = editor.output.getByTestId('node-error-message');
		const reason = 'The account is not connected: scan its QR code first (HTTP 422)';
		await waitForVisible(error.getByText(reason, { exact: true }));
		await saveScreenshot(page, 'send-image-refused');
	});

	test('separates failed items from sent ones with the error output', async () => {
		await startSends([recipients()[0], { ...recipients()[1], phone: 'call me' }]);
		await editor.details.getByTestId('tab-settings').click();
		await editor.parameter('onError').click();
		await page.getByRole('option', { name: 'Continue (using error output)' }).click();
		await editor.execute();
		await waitForVisible(editor.output.getByText('Success Branch (1 item)'));
		await editor.output.getByText('Error Branch (1 item)').click();
		await editor.view('schema');
		await waitForVisible(editor.output.getByText("'call me' is not a phone number [item 1]"));
		await waitForVisible(editor.output.getByText('notSent'));
		await saveScreenshot(page, 'send-image-error-output');
	});
});

test('somebody drops a picture into a form, and that very picture is on the phone', async () => {
	const workflow = await n8n.rest.workflow('messagingForm001');
	await n8n.rest.publish(workflow);
	const { webhookId } = workflow.nodes.find(({ name }) => name === 'On form submission')!;
	const form = `${n8n.rest.url}/form/${webhookId}`;
	await waitUntil('the form', async (saw) => saw((await fetch(form)).status) === 200, N8N_LIMIT_MS);
	await page.goto(form);
	await page.getByLabel('Number').fill('+1 202 555 0191');
	await page.getByLabel('Caption').fill('From a form');
	await dropFile(page.getByLabel('Picture'), join(__dirname, '../../demo/pictures/qr-code.webp'));
	await saveScreenshot(page, 'form');
	await page.getByRole('button', { name: 'Submit' }).click();
	await waitForVisible(page.getByText('Your response has been recorded'));

	await page.goto(service.url);
	const shown = page.getByRole('img', { name: 'Image: From a form' });
	await waitForPicture(shown);
	await saveScreenshot(page, 'form-phone');
	const response = await page.request.get(`${service.url}${await shown.getAttribute('src')}`);
	const file = await readFile(join(__dirname, '../../demo/pictures/qr-code.webp'));
	expect((await response.body()).equals(file)).toBe(true);
});

test('Get Status shows the QR code as a picture that can be scanned', async () => {
	service.account.logOut();
	await editor.startWorkflow(n8n.rest.url);
	await editor.addAction('Get status');
	await editor.execute();
	await waitForVisible(editor.output.getByText('The account is not connected. Open the tab'));
	await editor.view('binary');
	await editor.output.getByTestId('ndv-view-binary-data').click();
	const qr = editor.output.getByTestId('ndv-data-container').getByRole('img');
	await waitForPicture(qr);
	await saveScreenshot(page, 'qr-code');
	expect(readQrCode(await qr.screenshot())).toBe(service.account.qrText);
});

test('Schedule Trigger and Get Messages show a table of the messages', async () => {
	service.account.receive({ number: '12025550199', text: 'Is it still open?' });
	await editor.startWorkflow(n8n.rest.url, 'Schedule Trigger');
	await editor.close();
	await editor.addAction('Get messages');
	await waitForVisible(editor.details.getByText('The service lists only the latest 100 messages'));
	await editor.execute();
	await editor.view('table');
	await waitForVisible(editor.output.getByText('Is it still open?'));
	await saveScreenshot(page, 'get-messages');
});

test('the trigger fetches a test event', async () => {
	service.account.receive({ number: '12025550188', text: 'Good evening' });
	await editor.startWorkflow(n8n.rest.url, 'Messaging Account');
	await editor.choose('On new message');
	await waitForVisible(editor.details.getByText('See the newest message or the current status'));
	await editor.execute();
	await waitForVisible(editor.output.getByText('Good evening'));
	await saveScreenshot(page, 'trigger');
});

test('the trigger combines the messages of a sender', async () => {
	const texts = ['Good evening', 'Are you still open?', 'I need a chair'];
	for (const text of texts) service.account.receive({ number: '12025550188', text });
	service.account.receive({ number: '12025550177', text: 'Hello' });
	service.account.receive({ number: '12025550188', text: 'Or two' });
	await editor.startWorkflow(n8n.rest.url, 'Messaging Account');
	await editor.choose('On new message');
	await editor.addOption('Combine Messages By');
	await editor.parameter('combineBy').getByRole('textbox').fill('number');
	await editor.execute();
	await editor.view('json');
	for (const text of [...texts, 'Or two']) await waitForVisible(editor.output.getByText(text));
	await waitForVisible(editor.output.getByText('"count": 4'));
	expect(await editor.output.getByText('Hello').count()).toBe(0);
	await saveScreenshot(page, 'combined-messages');
});

test('the split view executes a workflow and shows its effect on the phone, without a login', async () => {
	await page.close();
	page = await (await openContext(browser)).newPage();
	await page.setViewportSize({ width: 1440, height: 800 });
	await page.goto(splitView.url);
	const canvas = page.frameLocator('[title=n8n]');
	const phone = page.frameLocator('[title=Phone]');
	await waitForVisible(findNode(canvas, 'Get Messages'));

	await canvas.getByTestId('execute-workflow-button').click();
	await waitForPicture(phone.getByRole('img', { name: 'Good morning, Ada' }));
	await waitForPicture(phone.getByRole('img', { name: 'Good morning, Grace' }));
	await waitForExecution(canvas);
	await saveScreenshot(page, 'beside-the-phone');
});

test('the split view shows the QR code, and after a scan the step finds the account connected', async () => {
	service.account.logOut();
	await page.goto(splitView.url);
	const canvas = page.frameLocator('[title=n8n]');
	const phone = page.frameLocator('[title=Phone]');
	await canvas.getByTestId('execute-workflow-button').click();
	await waitForExecution(canvas);
	await findNode(canvas, 'Get Status').dblclick();
	const output = canvas.getByTestId('output-panel');
	await output.getByTestId('ndv-view-binary-data').click();
	await waitForPicture(output.getByTestId('ndv-data-container').getByRole('img'));
	await saveScreenshot(page, 'qr-code-beside-the-phone');

	await phone.getByRole('button', { name: 'Scan' }).click();
	await waitForVisible(phone.getByText('No messages yet.'));
	await canvas.getByTestId('node-execute-button').click();
	await waitForExecution(canvas);
	await waitForVisible(output.getByTestId('run-data-schema-item-value').getByText('true'));
});

test('the main job, as a moving picture', async () => {
	const { id } = await saveWorkflow(
		n8n.rest,
		{
			parameters: { operation: 'sendImage' },
			credentials: {
				messagingAccountApi: { id: 'messagingAccount', name: 'Messaging Account account' },
			},
		},
		recipients(),
	);
	// A new window: n8n remembers how earlier tests have set up its panels.
	await page.close();
	const context = await openContext(browser);
	await logIn(context, n8n.rest);
	page = await context.newPage();
	// Wide enough for n8n to show its three panels beside the phone, and high enough for two chats.
	await page.setViewportSize({ width: 1440, height: 810 });
	await showPointer(page);
	await page.goto(splitView.url);
	const frame = await page.locator('[title=n8n]').elementHandle();
	await (await frame!.contentFrame())!.goto(`${n8n.rest.url}/workflow/${id}`);
	editor = new Editor(page, page.frameLocator('[title=n8n]'));
	const phone = page.frameLocator('[title=Phone]');
	await editor.node('Messaging Account').dblclick();
	await waitForVisible(editor.input.getByText('picture', { exact: true }));
	await waitForVisible(phone.getByText('No messages yet.'));

	const screencast = await Screencast.start(page);
	await screencast.hold();
	await editor.drag('phone', 'number', '+1 202 555 0143');
	await screencast.hold();
	await editor.drag('picture', 'url', picture());
	await screencast.hold();
	await moveMouse(editor.parameter('caption'));
	await editor.parameter('caption').click();
	await page.keyboard.type('Good morning,');
	await screencast.hold();
	await editor.drag('name', 'caption', 'Good morning, Ada');
	await screencast.hold();
	await moveMouse(editor.executeButton);
	await editor.executeButton.click();
	await waitForPicture(phone.getByRole('img', { name: 'Good morning, Ada' }));
	await waitForPicture(phone.getByRole('img', { name: 'Good morning, Grace' }));
	const sent = service.account.messages;
	for (const { id } of sent) await waitForVisible(editor.output.getByText(id));
	// Time to look at the result, before the picture begins again.
	await screencast.hold(2500);
	await screencast.stop(join(SCREENSHOTS, 'first-send'));

	expect(sent).toMatchObject([
		{ number: '12025550143', url: picture(), caption: 'Good morning, Ada' },
		{ number: '12025550176', url: picture(), caption: 'Good morning, Grace' },
	]);
});

describe('the credential', () => {
	test('shows what is wrong, and that it works, even before the QR code is scanned', async () => {
		service.account.logOut();
		await editor.startWorkflow(n8n.rest.url);
		await editor.addAction('Get status');
		await editor.details.getByTestId('node-credentials-select').click();
		await page.getByText('Create new credential').click();
		const dialog = page.getByTestId('editCredential-modal');
		// n8n shows the fields before it has found a name, and does not save a credential without one.
		await waitForVisible(dialog.getByTestId('credential-name'));
		const fill = async (field: string, value: string) =>
			await dialog.getByTestId(`parameter-input-${field}`).locator('input').fill(value);
		const save = async () => await dialog.getByTestId('credential-save-button').click();

		await fill('baseUrl', service.url);
		await fill('clientId', CREDENTIALS.clientId);
		await fill('token', 'not the token');
		await save();
		await waitForVisible(dialog.getByText('Couldn’t connect with these settings'));
		await dialog.getByText('More details').click();
		const message =
			'The client-id or token header is missing or wrong (HTTP 401). The service refused the request and gave this reason.';
		await waitForVisible(dialog.getByText(message));
		await saveScreenshot(page, 'credential-refused');

		await fill('token', CREDENTIALS.token);
		await save();
		await dialog.waitFor({ state: 'hidden' });
		await editor.details.getByTestId('credential-edit-button').click();
		await waitForVisible(dialog.getByText('Connection tested successfully'));
		await saveScreenshot(page, 'credential-accepted');
	});
});
