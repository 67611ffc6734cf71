import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode, INodeParameters } from 'n8n-workflow';
import type { Browser, BrowserContext, Page } from 'playwright-core';

import { allowFraming, startSplitView, type SplitView } from '../../tools/stack/splitView';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { BASICS, importExamples } from '../../tools/n8n/exampleWorkflows';
import { readQrCode } from '../../tools/qrReader';
import { ACCOUNT, saveWorkflow, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { findFreePort } from '../support/ports';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import {
	openContext,
	saveScreenshot,
	startChromium,
	waitForPicture,
	waitForVisible,
} from './chromium';
import { Editor, findNode, logIn, waitForExecution } from './editor';

const EXAMPLES = join(__dirname, '../../examples');

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
	const credential = { baseUrl: serviceUrl, ...ACCOUNT };
	const port = await findFreePort();
	const env = allowFraming(port);
	n8n = await startRealN8n({ env }, async (home) => await importExamples(home, credential));
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
	service = await startService(ACCOUNT, servicePort);
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

	test('finds the node and the trigger by name and common search terms, not for a brand', async () => {
		await editor.openNewWorkflow(n8n.rest.url);
		await expectFoundWith('messaging account', 'new messages', 'logged out');
		await expectFoundWith('receive message', 'incoming message', 'get message', 'reply');

		await editor.addNode('Manual Trigger');
		await editor.openPanel();
		await expectFoundWith('messaging account', 'send image', 'QR', 'messages', 'photo');
		await expectFoundWith('send message', 'image message', 'photo message', 'reply');
		await expectFoundWith('get message', 'read messages', 'receive message', 'incoming');
		await editor.search('whatsapp');
		await waitForVisible(editor.panelEntry('WhatsApp Business Cloud'));
		expect(await editor.panelEntry('Messaging Account').count()).toBe(0);
	});

	test('lists the actions of the node, and adds one to the canvas', async () => {
		await editor.startWorkflow(n8n.rest.url);
		await editor.openPanel();
		await editor.search('messaging account');
		await waitForVisible(page.getByText('use the Messaging Account node.'));
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
});

test('Send Image sends one image per item with dragged fields', async () => {
	await editor.startWorkflow(n8n.rest.url);
	await editor.addAction('Send image');
	await page.getByTestId('floating-node').click();
	await editor.input.waitFor({ state: 'hidden' });
	await editor.setOutput([
		{ name: 'Ada', phone: '+1 202 555 0143', picture: picture() },
		{ name: 'Grace', phone: '+1 202 555 0176', picture: picture() },
	]);
	await page.getByTestId('floating-node').click();
	await editor.drag('phone', 'number', '+1 202 555 0143');
	await editor.drag('picture', 'url', picture());
	await editor.drag('name', 'caption', 'Ada');
	await waitForVisible(
		editor.output.getByText('If you execute this node again, everybody gets the image again.'),
	);
	await saveScreenshot(page, 'send-image');
	await editor.execute();
	await waitForVisible(editor.output.getByText('2 items: 2 sent, 0 skipped, 0 failed.'));
	await editor.view('table');
	const sent = service.account.messages;
	expect(sent).toMatchObject([
		{ number: '12025550143', url: picture(), caption: 'Ada' },
		{ number: '12025550176', url: picture(), caption: 'Grace' },
	]);
	for (const { id } of sent) await waitForVisible(editor.output.getByText(id));
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

describe('a list', () => {
	const ROWS = [
		{ name: 'Ada', phone: '+1 202 555 0143' },
		{ name: 'Grace', phone: '555-0176' },
		{ name: 'Katherine', phone: '+1 202 555 0188' },
	];

	/** Executes Send Image for all rows, with these options, and opens the node. */
	async function sendList(options: INodeParameters): Promise<void> {
		const parameters = {
			number: '={{ $json.phone }}',
			url: picture(),
			caption: '=Hi {{ $json.name }}',
			options: { ...options, sendOnceId: '=spring {{ $json.phone }}' },
		};
		const credential = { id: 'messagingAccount', name: 'Messaging Account account' };
		const node: Partial<INode> = {
			position: [300, 0],
			onError: 'continueErrorOutput',
			credentials: { messagingAccountApi: credential },
		};
		const { id } = await saveWorkflow(n8n.rest, { parameters, ...node }, ROWS);
		await page.goto(`${n8n.rest.url}/workflow/${id}`);
		await page.getByTestId('execute-workflow-button').click();
		await waitForExecution(page);
		await editor.node('Messaging Account').dblclick();
		await editor.view('table');
	}

	test('a dry run shows each row as it would be sent', async () => {
		await sendList({ dryRun: true });
		await waitForVisible(editor.output.getByText('12025550143', { exact: true }));
		await saveScreenshot(page, 'dry-run');
		expect(service.account.messages).toEqual([]);
	});

	test('the error output has the row that cannot be sent, with the reason', async () => {
		await sendList({});
		await waitForVisible(editor.output.getByText('3 items: 2 sent, 0 skipped, 1 failed.'));
		await editor.output.getByText('Error Branch (1 item)').click();
		await waitForVisible(editor.output.getByText("'555-0176'"));
		await saveScreenshot(page, 'error-output');
		expect(service.account.messages).toHaveLength(2);
	});
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
	await saveScreenshot(page, 'first-send');
});

test('the credential shows what is wrong, and that it works, even before the QR code is scanned', async () => {
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
	await fill('clientId', ACCOUNT.clientId);
	await fill('token', 'not the token');
	await save();
	await waitForVisible(dialog.getByText('Couldn’t connect with these settings'));
	await dialog.getByText('More details').click();
	const message =
		"The client-id or token header is missing or wrong (HTTP 401). The service refused the request and gave this reason. Check 'Client ID' and 'Token' in the credential.";
	await waitForVisible(dialog.getByText(message));

	await fill('token', ACCOUNT.token);
	// As the README advises.
	await dialog.getByTestId('parameter-input-allowedHttpRequestDomains').click();
	await page.getByRole('option', { name: 'None' }).click();
	await save();
	await dialog.waitFor({ state: 'hidden' });
	await editor.details.getByTestId('credential-edit-button').click();
	await waitForVisible(dialog.getByText('Connection tested successfully'));
	await saveScreenshot(page, 'credential');
});

test('n8n asks for the name of the package where the README says', async () => {
	await page.goto(`${n8n.rest.url}/settings/community-nodes`);
	await page.getByRole('button', { name: 'Install a community node' }).click();
	const dialog = page.getByTestId('communityPackageInstall-modal');
	await dialog.locator('input').first().fill('n8n-nodes-messaging-account');
	await waitForVisible(dialog.getByText('I understand the risks'));
	await saveScreenshot(page, 'install');
});

/** What a node or sticky note covers on the screen, with its label or text. In pixels. */
interface Box {
	id: string;
	left: number;
	top: number;
	right: number;
	bottom: number;
	/** Whether part of a note's text lies below the note, where nobody sees it. */
	isCut: boolean;
}

/** Boxes that almost touch are hard to tell apart. */
const MIN_DISTANCE_PX = 8;

/** Labels stand outside of their node's box. Connectors and the buttons that n8n shows on hover do not count. */
const MEASURE = `[...document.querySelectorAll('.vue-flow__node')].map((node) => {
	const ignored = '.vue-flow__handle, .vue-flow__resize-control, [data-test-id=canvas-node-toolbar]';
	const boxes = [node, ...node.querySelectorAll('*')]
		.filter((element) => !element.closest(ignored))
		.map((element) => element.getBoundingClientRect())
		.filter(({ width, height }) => width > 0 && height > 0);
	const bottom = Math.max(...boxes.map(({ bottom }) => bottom));
	const isNote = node.querySelector('[data-test-id=sticky]') !== null;
	return {
		id: node.dataset.id,
		left: Math.min(...boxes.map(({ left }) => left)),
		top: Math.min(...boxes.map(({ top }) => top)),
		right: Math.max(...boxes.map(({ right }) => right)),
		bottom,
		isCut: isNote && bottom > node.getBoundingClientRect().bottom,
	};
})`;

function overlap(a: Box, b: Box): boolean {
	const gaps = [b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom];
	return gaps.every((gap) => gap < MIN_DISTANCE_PX);
}

test.each(readdirSync(EXAMPLES))('in %s, nothing overlaps, and no text is cut', async (file) => {
	const example = readFileSync(join(EXAMPLES, file), 'utf8');
	const { id, nodes } = JSON.parse(example) as { id: string; nodes: INode[] };
	await page.setViewportSize({ width: 1920, height: 1080 });
	await page.goto(`${n8n.rest.url}/workflow/${id}`);
	const shown = page.locator('.vue-flow__node');
	const areShown = async (saw: Saw) => saw(await shown.count()) === nodes.length;
	await waitUntil(`${nodes.length} nodes on the canvas`, areShown, N8N_LIMIT_MS);
	await page.evaluate('document.fonts.ready.then(() => {})');

	const nameOf = ({ id }: Box) => nodes.find((node) => node.id === id)!.name;
	const boxes = await page.evaluate<Box[]>(MEASURE);
	const overlapping = boxes.flatMap((box, i) =>
		boxes
			.slice(i + 1)
			.filter((other) => overlap(box, other))
			.map((other) => `${nameOf(box)} and ${nameOf(other)}`),
	);
	const cut = boxes.filter(({ isCut }) => isCut).map(nameOf);
	expect({ overlapping, cut }).toEqual({ overlapping: [], cut: [] });
});
