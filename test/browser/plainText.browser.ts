import type { IDataObject, INode, INodeExecutionData } from 'n8n-workflow';
import type { Browser, Locator, Page } from 'playwright-core';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { saveWorkflow, useRealN8nWithServer } from '../n8n/realN8n';
import { NODE } from '../support/webhookWorkflow';
import { openContext, saveScreenshot, startChromium, waitForVisible } from './chromium';
import { Editor, logIn } from './editor';

let browser: Browser;
let page: Page;
let editor: Editor;

const { server, n8n, credentials } = useRealN8nWithServer();

beforeAll(async () => {
	browser = await startChromium();
	const context = await openContext(browser);
	await logIn(context, n8n.rest);
	page = await context.newPage();
	editor = new Editor(page);
});

afterAll(async () => await browser?.close());

/** A text as people read it. */
const readAs = (text: string) => text.replaceAll('\u2060', '').replaceAll('‹', '<');

interface Case {
	/** The parameters of the node. */
	parameters: INode['parameters'];
	item?: Partial<INodeExecutionData>;
	/** What the service answers, as the message of a refusal or as the list of messages. */
	reason?: string;
	messages?: IDataObject[];
	/** What is read in the toast and in the output pane; without these, nothing fails. */
	message?: string;
	description?: string;
	hint?: string;
}

const PIXEL = '/pixel.png';
const LINK = '<a href="https://evil.example/x">here</a>';
/** A picture that a browser would request from the scripted server. */
const image = () => `<img src="${server.url}${PIXEL}">`;

const refusal = (reason: string): Case => ({
	parameters: { operation: 'getStatus' },
	reason,
	message: `${reason} (HTTP 400)`,
});
const send = (parameters: INode['parameters']) => ({
	operation: 'sendImage',
	number: '12025550143',
	url: 'https://example.com/a.png',
	...parameters,
});
const file = (mimeType: string, fileName: string) => ({
	mimeType,
	fileName,
	data: Buffer.from('no image').toString('base64'),
});

const CASES: Record<string, () => Case> = {
	'a sentence of the service': () =>
		refusal(`Parameter <number> is missing, see ${LINK} ${image()}`),
	'attributes and SVG': () =>
		refusal(
			`Not <b style="color:red" onclick=alert(1)>so</b> <svg onload="fetch('${PIXEL}')"></svg> a`,
		),
	'entities and comparisons': () =>
		refusal('&lt;b&gt; &#60;i&#62; &copy=1 &amp;lt; 1 < 2 and 3 > 2 <!-- so --> a&b <b>no</b>'),
	'an unclosed picture': () => refusal(`Not this: <img src="${server.url}${PIXEL}`),
	Markdown: () => refusal(`See [here](https://evil.example/x) ![x](${server.url}${PIXEL})`),
	'the names of fields with files': () => ({
		parameters: send({ imageSource: 'binary', binaryPropertyName: LINK }),
		item: { binary: { [image()]: file('text/plain', 'a.txt') } },
		message: `There is no file in the field '${LINK}'`,
		description: `This item has files in: ${image()}.`,
	}),
	'Output Fields': () => ({
		parameters: { operation: 'getMessages', options: { outputFields: `${image()}, id` } },
		messages: [{ id: 'm1' }],
		hint: `No message has the field '${image().split('.')[0]}`,
	}),
};

async function openWorkflow({ parameters, item }: Case): Promise<void> {
	const node: Partial<INode> = { credentials, position: [300, 0] };
	const workflow = await saveWorkflow(n8n.rest, { parameters, ...node }, []);
	workflow.pinData = { [MANUAL_TRIGGER]: [{ json: {}, ...item }] };
	await n8n.rest.save(workflow);
	await page.goto(`${n8n.rest.url}/workflow/${workflow.id}`);
	await waitForVisible(editor.node(NODE));
}

/** Checks that a text is read as it was written, and that nothing of it is an element. */
async function expectRead(shown: Locator, text: string): Promise<void> {
	await waitForVisible(shown);
	expect(readAs(await shown.innerText())).toContain(text);
	const alive = shown.locator('a[href], img, b, [style*=red]').or(shown.locator('[onload], code'));
	expect(await alive.count()).toBe(0);
}

test.each(Object.keys(CASES))('%s is read as it was written', async (name) => {
	const { reason, messages, message, description, hint, ...workflow } = CASES[name]();
	const body = reason === undefined ? (messages ?? { id: 'm1' }) : { message: reason };
	server.respondWith({ status: reason === undefined ? 200 : 400, body });
	await openWorkflow(workflow);
	await page.getByTestId('execute-workflow-button').click();
	const toast = page.getByRole('alert').filter({ hasText: /executed successfully|^Problem in/ });
	await waitForVisible(toast);
	if (message) {
		await expectRead(toast.locator('.el-notification__content'), message);
		await editor.node(NODE).getByTestId('node-issues').hover();
		await expectRead(page.locator('.titled-list').first(), message);
	}
	await editor.node(NODE).dblclick();
	const error = editor.output.locator('.node-error-view');
	if (message) await expectRead(error.locator('.node-error-view__header-message').first(), message);
	if (description)
		await expectRead(error.locator('.node-error-view__header-description'), description);
	if (hint) await expectRead(editor.output.getByTestId('node-hint').first(), hint);
	await saveScreenshot(page, `as written/${name}`);
	expect(server.requests.filter(({ path }) => path.includes(PIXEL))).toEqual([]);
});
