import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Browser, FrameLocator, Locator, Page } from 'playwright-core';

import { allowFraming, startSplitView, type SplitView } from '../../demo/splitView';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { PROJECT } from '../../tools/n8n/install';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { fromGlobalSetup, startRealN8n, type RealN8n } from '../n8n/realN8n';
import { startNpmProxy, startRegistry, type NpmProxy } from '../support/npmRegistry';
import { findFreePort } from '../support/ports';
import type { ScriptedServer } from '../support/scriptedServer';
import { hideCard, makeRoomForCaptions, showCaption, showCard } from './captions';
import {
	moveMouse,
	openContext,
	saveScreenshot,
	SCREENSHOTS,
	startChromium,
	waitForPicture,
	waitForVisible,
} from './chromium';
import { Editor, logIn, waitForExecution } from './editor';
import { Screencast, showPointer } from './screencast';

const CREDENTIALS = { clientId: 'my-client-id', token: 'my-token' };
const WRONG_TOKEN = 'not-my-token';

/** Time to read a caption. */
const READ_MS = 2500;
const RESULT_MS = 3500;

/** Longer than an installation takes on a busy machine, and than the minute between two polls. */
const SLOW_MS = 180_000;

let name: string;
let version: string;
let folder: string;
let registry: ScriptedServer;
let proxy: NpmProxy;
let service: EmbeddedService;
let n8n: RealN8n;
let splitView: SplitView;
let browser: Browser;
let page: Page;
let canvas: FrameLocator;
let phone: FrameLocator;
let editor: Editor;
let screencast: Screencast;

beforeAll(async () => {
	({ name, version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	});
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-video-'));
	registry = await startRegistry(name, [version], await readFile(fromGlobalSetup('TEST_TARBALL')));
	proxy = await startNpmProxy(registry.url);
	service = await startService(CREDENTIALS);
	service.account.scan(service.account.qrText);
	const port = await findFreePort();
	n8n = await startRealN8n(undefined, { env: { ...proxy.env, ...allowFraming(port) } }, folder);
	const urls = { n8n: `${n8n.rest.url}/home/workflows`, phone: service.url };
	splitView = await startSplitView(port, urls, n8n.rest.cookie);

	browser = await startChromium();
	const context = await openContext(browser);
	await logIn(context, n8n.rest);
	page = await context.newPage();
	// Wide enough for n8n to show its three panels beside the phone.
	await page.setViewportSize({ width: 1440, height: 900 });
	await showPointer(page);
	await page.goto(splitView.url);
	await makeRoomForCaptions(page);
	canvas = page.frameLocator('[title=n8n]');
	phone = page.frameLocator('[title=Phone]');
	editor = new Editor(page, canvas);
	await waitForVisible(phone.getByText('No messages yet.'));
	await page.getByRole('button', { name: 'Hide phone' }).click();
	await page.mouse.move(720, 300);
});

afterEach(async () => {
	await saveScreenshot(page, `at the end of/${expect.getState().currentTestName}`);
});

afterAll(async () => {
	await browser?.close();
	await splitView?.close();
	await n8n?.stop();
	await service?.close();
	await proxy?.close();
	await registry?.close();
	if (folder) await rm(folder, { recursive: true });
});

/** Clicks like a person who watches the pointer. */
async function click(target: Locator): Promise<void> {
	// n8n may draw it again before it can be clicked.
	await target.hover({ trial: true });
	await moveMouse(target);
	await target.click();
}

/** Replaces what a field contains, key by key. */
async function write(field: Locator, text: string): Promise<void> {
	await click(field);
	await page.keyboard.press('ControlOrMeta+A');
	await page.keyboard.type(text);
	await screencast.hold(500);
}

/** Address of an image that the service accepts. */
const picture = () => `${service.url}/pictures/sample.png`;

const recipients = () => [
	{ name: 'Ada', phone: '+1 202 555 0143', picture: picture() },
	{ name: 'Grace', phone: '+1 202 555 0176', picture: picture() },
	{ name: 'Katherine', phone: '+1 202 555 0118', picture: picture() },
];

async function caption(text: string): Promise<void> {
	await showCaption(page, text);
	await screencast.hold(READ_MS);
}

test('the video: install, credential, sends, trigger', async () => {
	await install();
	await enterCredential();
	await sendToList();
	await startWithMessage();
});

async function install(): Promise<void> {
	await waitForVisible(canvas.getByTestId('new-workflow-card'));
	await showCard(page, [
		'Messaging Account for n8n',
		`${name} ${version}, in n8n ${process.env.TEST_N8N_VERSION}`,
		'Recorded with a stand-in for the service and for npm’s registry',
	]);
	screencast = await Screencast.start(page);
	await screencast.hold(4000);
	await hideCard(page);

	await caption('1. Install: Settings → Community nodes');
	await click(canvas.getByTestId('main-sidebar-settings'));
	await screencast.hold();
	await click(canvas.getByTestId('settings-community-nodes'));
	const button = canvas.getByRole('button', { name: 'Install a community node' });
	await waitForVisible(button);
	await screencast.hold();
	await click(button);
	const dialog = canvas.getByTestId('communityPackageInstall-modal');
	await write(dialog.getByRole('textbox'), name);
	await click(dialog.getByTestId('user-agreement-checkbox'));
	await screencast.hold();
	await click(dialog.getByTestId('install-community-package-button'));
	await dialog.waitFor({ state: 'hidden', timeout: SLOW_MS });
	await waitForVisible(canvas.getByText(`v${version}`));
	await caption('Installed: two nodes and a credential, without a restart');
}

async function enterCredential(): Promise<void> {
	await caption('2. Credential: what the service refuses is reported, with the reason');
	await click(canvas.getByTestId('settings-back'));
	await click(canvas.getByTestId('new-workflow-card'));
	await click(canvas.getByTestId('canvas-add-button'));
	await click(editor.panelEntry('Trigger manually'));
	await screencast.hold();
	await click(canvas.getByTestId('node-creator-plus-button'));
	await write(canvas.getByTestId('node-creator-search-bar'), 'messaging account');
	await click(editor.panelEntry('Messaging Account'));
	await screencast.hold();
	await click(editor.panelEntry('Send image'));
	await click(editor.details.getByText('Connect to Messaging Account'));
	const dialog = canvas.getByTestId('editCredential-modal');
	const field = (of: string) => dialog.getByTestId(`parameter-input-${of}`).locator('input');
	const save = dialog.getByTestId('credential-save-button');
	await write(field('baseUrl'), service.url);
	await write(field('clientId'), CREDENTIALS.clientId);
	await write(field('token'), WRONG_TOKEN);
	await click(save);
	await waitForVisible(dialog.getByText('Couldn’t connect with these settings'));
	await click(dialog.getByText('More details'));
	await waitForVisible(
		dialog.getByText('The client-id or token header is missing or wrong (HTTP 401).'),
	);
	await screencast.hold(RESULT_MS);

	await caption('The right token');
	await write(field('token'), CREDENTIALS.token);
	await click(save);
	await dialog.waitFor({ state: 'hidden' });
	await click(editor.details.getByTestId('credential-edit-button'));
	await waitForVisible(dialog.getByText('Connection tested successfully'));
	await screencast.hold(RESULT_MS);
	// Closes the credential and the node below it.
	await page.keyboard.press('Escape');
	await editor.details.waitFor({ state: 'hidden' });
}

async function sendToList(): Promise<void> {
	await caption('3. Send: a list of three recipients');
	await moveMouse(editor.node(MANUAL_TRIGGER));
	await editor.node(MANUAL_TRIGGER).dblclick();
	await editor.setOutput(recipients());
	await screencast.hold(RESULT_MS);
	await click(canvas.getByTestId('floating-node'));
	await click(page.getByRole('button', { name: 'Show phone' }));
	await waitForVisible(phone.getByText('No messages yet.'));
	await caption('Drag the fields of the list into the parameters');
	await editor.drag('phone', 'number', '+1 202 555 0143');
	await screencast.hold();
	await editor.drag('picture', 'url', picture());
	await screencast.hold();
	await write(editor.parameter('caption'), 'Good morning,');
	await editor.drag('name', 'caption', 'Good morning, Ada');
	await screencast.hold();
	await caption('One execution sends an image to each of them');
	await click(editor.executeButton);
	for (const { name: who } of recipients()) {
		await waitForPicture(phone.getByRole('img', { name: `Good morning, ${who}` }));
	}
	await waitForExecution(canvas);
	const sent = service.account.messages;
	for (const { id } of sent) await waitForVisible(editor.output.getByText(id));
	await screencast.hold(RESULT_MS);
	await moveMouse(phone.getByRole('img', { name: 'Good morning, Ada' }));
	await screencast.hold();
	expect(sent).toMatchObject(
		recipients().map(({ name: who, phone: number }) => ({
			number: number.replace(/\D/g, ''),
			url: picture(),
			caption: `Good morning, ${who}`,
		})),
	);
}

async function startWithMessage(): Promise<void> {
	await caption('4. Trigger: a message on the phone starts a workflow');
	await editor.close();
	await click(canvas.getByTestId('universal-add'));
	await click(canvas.getByText('New workflow'));
	await click(canvas.getByTestId('canvas-add-button'));
	await write(canvas.getByTestId('node-creator-search-bar'), 'messaging account');
	await click(editor.panelEntry('Messaging Account'));
	await screencast.hold();
	await click(editor.panelEntry('On new message'));
	await waitForVisible(editor.details.getByTestId('credential-edit-button'));
	await writeOnPhone('Is it still open?');
	await caption('Fetch Test Event shows the newest message');
	await click(editor.executeButton);
	await waitForExecution(canvas);
	await click(editor.output.getByTestId('radio-button-schema'));
	await waitForVisible(editor.output.getByText('Is it still open?'));
	await screencast.hold(RESULT_MS);
	await click(canvas.getByTestId('ndv-close-button'));
	await editor.details.waitFor({ state: 'hidden' });

	await caption('Once the workflow is published, n8n asks for new messages every minute');
	await click(canvas.getByTestId('workflow-open-publish-modal-button'));
	await screencast.hold();
	await click(canvas.getByTestId('workflow-publish-button'));
	await waitForVisible(canvas.getByText('Workflow published'));
	await screencast.hold(RESULT_MS);
	await click(canvas.getByRole('button', { name: 'Got it' }));
	await click(canvas.getByTestId('radio-button-executions'));
	await writeOnPhone('And tomorrow?');
	// The test event is the older one.
	const executions = canvas.locator('[data-test-id^=execution-details]');
	await executions.nth(1).waitFor({ timeout: SLOW_MS });
	await caption('Within a minute, the message has started an execution');
	await click(executions.first());
	await screencast.hold();
	const trigger = editor.node('Messaging Account Trigger');
	await moveMouse(trigger);
	await trigger.dblclick();
	await waitForVisible(editor.output.getByText('And tomorrow?'));
	await screencast.hold(RESULT_MS);
	await screencast.stop(join(SCREENSHOTS, 'video'));
}

/** Writes a message to the account, as somebody does on a phone. */
async function writeOnPhone(text: string): Promise<void> {
	await write(phone.getByLabel('From number'), '+1 202 555 0143');
	await write(phone.getByLabel('Message'), text);
	await page.keyboard.press('Enter');
	await waitForVisible(phone.getByText(text, { exact: true }));
	await screencast.hold(RESULT_MS);
}
