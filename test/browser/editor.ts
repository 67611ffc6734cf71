import type { BrowserContext, FrameLocator, Locator, Page } from 'playwright-core';

import type { N8nRest } from '../../tools/n8n/rest';
import { see } from './chromium';

/** n8n's editor as a person uses it: by mouse and keyboard, finding things by what is written on them. */
export class Editor {
	constructor(private readonly page: Page) {}

	/** A new workflow that begins with a Manual Trigger, or the trigger of that name. */
	async startWorkflow(n8nUrl: string, trigger = 'Manual Trigger'): Promise<void> {
		await this.page.goto(`${n8nUrl}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').click();
		await this.search(trigger);
		await this.found(trigger).click();
	}

	async openPanel(): Promise<void> {
		await this.page.getByTestId('node-creator-plus-button').click();
	}

	/** Types into the search of the node panel. */
	async search(text: string): Promise<void> {
		await this.page.getByTestId('node-creator-search-bar').fill(text);
	}

	/** An entry of the node panel. */
	found(name: string): Locator {
		return this.page.getByTestId('node-creator-item-name').getByText(name, { exact: true });
	}

	/** Adds one of the package's actions to the workflow, which opens its details. */
	async addAction(action: string): Promise<void> {
		await this.openPanel();
		await this.search('messaging account');
		await this.found('Messaging Account').click();
		await this.choose(action);
	}

	/** Chooses an action or trigger from the panel, and waits for its details with the credential, which comes by itself. */
	async choose(action: string): Promise<void> {
		await this.found(action).click();
		await see(this.details.getByTestId('credential-edit-button'));
	}

	/** The details of the node that is open. */
	get details(): Locator {
		return this.page.getByTestId('ndv');
	}

	get input(): Locator {
		return this.page.getByTestId('ndv-input-panel');
	}

	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}

	parameter(name: string): Locator {
		return this.page.getByTestId(`parameter-input-${name}`);
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.details.waitFor({ state: 'hidden' });
	}

	node(name: string): Locator {
		return nodeOf(this.page, name);
	}

	/** Gives the node that is open items of its own: "set mock data". */
	async setOutput(items: object[]): Promise<void> {
		await this.output.getByTestId('ndv-edit-pinned-data').click();
		await this.output.getByRole('textbox').click();
		await this.page.keyboard.press('ControlOrMeta+A');
		await this.page.keyboard.insertText(JSON.stringify(items));
		await this.output.getByRole('button', { name: 'Save', exact: true }).click();
		await see(this.details.getByText('This data is pinned'));
	}

	/** Drags a field from the input panel into a parameter, and looks whether its value for the first item is shown there. */
	async drag(field: string, parameter: string, value: string): Promise<void> {
		const pill = this.input
			.getByTestId('run-data-schema-node-name')
			.getByText(field, { exact: true });
		await pill.hover();
		await this.page.mouse.down();
		// n8n takes it for a drag once the mouse has moved, and shows where it can be dropped.
		await this.parameter(parameter).hover({ force: true });
		await this.parameter(parameter).hover({ force: true, position: { x: 40, y: 10 } });
		await this.page.mouse.up();
		// Out of the field: what n8n opens below it would cover the next one.
		await this.details.getByTestId('tab-params').click();
		await see(this.page.getByTestId(`parameter-expression-preview-${parameter}`).getByText(value));
	}

	/** Executes the node that is open, and waits until n8n says how that ended. */
	async execute(): Promise<void> {
		await this.details.getByTestId('node-execute-button').click();
		await executed(this.page);
	}

	/** Shows the output in another way. */
	async view(mode: 'schema' | 'table' | 'json' | 'binary'): Promise<void> {
		await this.output.getByTestId(`radio-button-${mode}`).click();
	}
}

/** Waits until n8n says how an execution ended, and closes the notice: it covers a part of the output. */
export async function executed(page: Page | FrameLocator): Promise<void> {
	const notice = page.getByRole('alert').filter({ hasText: /executed successfully|^Problem in/ });
	await see(notice);
	const gone = notice.waitFor({ state: 'hidden' });
	// One that tells of success goes by itself after some seconds, perhaps before it is closed.
	await Promise.race([gone, notice.locator('i').last().click()]);
	await gone;
}

/** A node on the canvas, by its name. */
export function nodeOf(page: Page | FrameLocator, name: string): Locator {
	return page.getByTestId('canvas-node').and(page.locator(`[data-node-name="${name}"]`));
}

/** n8n's lessons for newcomers, which open at unforeseen moments and cover what a person would look at. */
const LESSONS = [
	'N8N_MAPPING_ONBOARDED',
	'N8N_AUTOCOMPLETE_ONBOARDED',
	'N8N_TABLE_HOVER_ONBOARDED',
	'N8N_PIN_DATA_DISCOVERY_NDV',
	'N8N_PIN_DATA_DISCOVERY_CANVAS',
];

/** A window of somebody who is logged in, and has had n8n's lessons. */
export async function logIn(context: BrowserContext, { url, cookie }: N8nRest): Promise<void> {
	const [name, value] = cookie.split('=');
	await context.addCookies([{ name, value, url }]);
	await context.addInitScript(
		LESSONS.map((lesson) => `localStorage.setItem('${lesson}', 'true');`).join('\n'),
	);
}
