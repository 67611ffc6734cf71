import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';
import type { Browser, Page } from 'playwright-core';

import { importExamples } from '../../tools/n8n/exampleWorkflows';
import { startRealN8n, type RealN8n } from '../n8n/realN8n';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { openContext, saveScreenshot, startChromium } from './chromium';
import { logIn } from './editor';

interface Example {
	id: string;
	nodes: INode[];
}

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

const EXAMPLES = join(__dirname, '../../examples');

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

let browser: Browser;
let n8n: RealN8n;
let page: Page;

beforeAll(async () => {
	browser = await startChromium();
	const credential = { baseUrl: 'http://127.0.0.1:9', clientId: 'a client', token: 'a token' };
	n8n = await startRealN8n(async (home) => await importExamples(home, credential));
	const context = await openContext(browser);
	await logIn(context, n8n.rest);
	page = await context.newPage();
	await page.setViewportSize({ width: 1920, height: 1080 });
});

afterAll(async () => {
	await browser?.close();
	await n8n?.stop();
});

function overlap(a: Box, b: Box): boolean {
	const gaps = [b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom];
	return gaps.every((gap) => gap < MIN_DISTANCE_PX);
}

test.each(readdirSync(EXAMPLES))(
	'in %s, no nodes and notes overlap, and no text is cut off',
	async (file) => {
		const { id, nodes } = JSON.parse(readFileSync(join(EXAMPLES, file), 'utf8')) as Example;
		await page.goto(`${n8n.rest.url}/workflow/${id}`);
		const shown = page.locator('.vue-flow__node');
		await waitUntil(
			`${nodes.length} nodes on the canvas`,
			async (saw) => saw(await shown.count()) === nodes.length,
			N8N_LIMIT_MS,
		);
		await page.evaluate('document.fonts.ready.then(() => {})');
		await saveScreenshot(page, `examples/${file}`);

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
	},
);
