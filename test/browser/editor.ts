import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';

import type { N8nRest } from '../../tools/n8n/rest';
import { waitUntil } from '../support/waitUntil';
import { moveMouse, waitForVisible } from './chromium';

/** Uses n8n's editor like a person, with mouse and keyboard. */
export class Editor {
	constructor(private readonly page: Page) {}

	/** Creates a workflow that starts with the named trigger. */
	async startWorkflow(n8nUrl: string, trigger = 'Manual Trigger'): Promise<void> {
		await this.openNewWorkflow(n8nUrl);
		await this.addNode(trigger);
	}

	/** Opens an empty workflow with the panel of triggers. */
	async openNewWorkflow(n8nUrl: string): Promise<void> {
		await this.page.goto(`${n8nUrl}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').click();
	}

	/** Adds a node that has no actions to choose from. */
	async addNode(name: string): Promise<void> {
		await this.search(name);
		await this.panelEntry(name).click();
	}

	async openPanel(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
	}

	/** Types into the search field of the node panel. */
	async search(text: string): Promise<void> {
		await this.page.getByTestId('node-creator-search-bar').fill(text);
	}

	/** Returns an entry of the node panel. */
	panelEntry(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
	}

	/** Adds one of our actions to the workflow, which opens its details. */
	async addAction(action: string): Promise<void> {
		await this.openPanel();
		await this.search('messaging account');
		await this.panelEntry('Messaging Account').click();
		await this.choose(action);
	}

	/** Chooses an action or trigger in the panel, and waits for its details, in which n8n selects the credential. */
	async choose(action: string): Promise<void> {
		await this.panelEntry(action).click();
		await waitForVisible(this.details.getByTestId('credential-edit-button'));
	}

	/** The details view of the open node. */
	get details(): Locator {
		return this.page.getByTestId('ndv');
	}

	get input(): Locator {
		return this.page.getByTestId('ndv-input-panel');
	}

	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.details.waitFor({ state: 'hidden' });
	}

	node(name: string): Locator {
		return findNode(this.page, name);
	}

	/** Pins items as the output of the open node ("set mock data"). */
	async setOutput(items: object[]): Promise<void> {
		await this.output.getByTestId('ndv-edit-pinned-data').click();
		await this.output.getByRole('textbox').click();
		await this.page.keyboard.press('ControlOrMeta+A');
		await this.page.keyboard.insertText(JSON.stringify(items));
		await this.output.getByRole('button', { name: 'Save', exact: true }).click();
		await waitForVisible(this.details.getByText('This data is pinned'));
	}

	/** Drags a field from the input panel into a parameter, and checks the preview of its value. */
	async drag(field: string, parameter: string, value: string): Promise<void> {
		const pill = this.input
			.getByTestId('run-data-schema-node-name')
			.getByText(field, { exact: true });
		await moveMouse(pill);
		await this.page.mouse.down();
		await moveMouse(this.page.getByTestId(`parameter-input-${parameter}`));
		await this.page.mouse.up();
		// Leaves the field, because the popup below it would cover the next one.
		const title = this.input.getByText('Input', { exact: true });
		await moveMouse(title);
		await title.click();
		await waitForVisible(
			this.page.getByTestId(`parameter-expression-preview-${parameter}`).getByText(value),
		);
	}

	/** Executes the open node, and waits for the result. */
	async execute(): Promise<void> {
		await this.details.getByTestId('node-execute-button').click();
		await waitForExecution(this.page);
	}

	/** Switches the view of the output. */
	async view(mode: 'schema' | 'table' | 'json' | 'binary'): Promise<void> {
		await this.output.getByTestId(`radio-button-${mode}`).click();
	}
}

const CLICK_TIMEOUT_MS = 2000;
/** Low, because it does not count the time of the clicks. */
const CLOSE_LIMIT_MS = 30_000;

/** Waits until n8n shows the result of an execution, and closes the notification, which covers part of the output. */
export async function waitForExecution(page: Page | FrameLocator): Promise<void> {
	const notification = page
		.getByRole('alert')
		.filter({ hasText: /executed successfully|^Problem in/ });
	await waitForVisible(notification);
	// It may disappear by itself, and a click while it slides in may miss. It then stays open, because the mouse is over it.
	const close = notification.locator('i').last();
	const tryToClose = async () => {
		const isVisible = await notification.isVisible();
		if (isVisible) await close.click({ timeout: CLICK_TIMEOUT_MS }).catch(() => {});
		return !isVisible;
	};
	await waitUntil('the notification to close', tryToClose, CLOSE_LIMIT_MS);
}

/** Finds a node on the canvas by its name. */
export function findNode(page: Page | FrameLocator, name: string): Locator {
	return page.getByTestId('canvas-node').and(page.locator(`[data-node-name="${name}"]`));
}

/** n8n's onboarding tips, which would cover parts of the editor at unpredictable times. */
const ONBOARDING_FLAGS = [
	'N8N_MAPPING_ONBOARDED',
	'N8N_AUTOCOMPLETE_ONBOARDED',
	'N8N_TABLE_HOVER_ONBOARDED',
	'N8N_PIN_DATA_DISCOVERY_NDV',
	'N8N_PIN_DATA_DISCOVERY_CANVAS',
];

/** Logs a browser window in to n8n, with the onboarding tips marked as seen. */
export async function logIn(context: BrowserContext, { url, cookie }: N8nRest): Promise<void> {
	const [name, value] = cookie.split('=');
	await context.addCookies([{ name, value, url }]);
	await context.addInitScript(
		ONBOARDING_FLAGS.map((flag) => `localStorage.setItem('${flag}', 'true');`).join('\n'),
	);
}
