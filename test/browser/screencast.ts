import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { CDPSession, Page } from 'playwright-core';

export interface Frame {
	/** Name of a PNG in the folder of the screencast. */
	file: string;
	/** How long it is to be looked at, in milliseconds; 0 for a part of a movement. */
	heldMs: number;
}

/** List of the frames, in the order in which the page showed them. */
const LIST = 'frames.json';

/** Records every change that a page shows, those in its frames included. */
export class Screencast {
	private readonly frames: Array<{ png: Buffer; heldMs: number; secondsSince1970: number }> = [];

	private constructor(
		private readonly page: Page,
		private readonly session: CDPSession,
	) {}

	static async start(page: Page): Promise<Screencast> {
		const session = await page.context().newCDPSession(page);
		const screencast = new Screencast(page, session);
		session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
			screencast.add(Buffer.from(data, 'base64'), 0, metadata.timestamp!);
			// Chromium sends the next frame only then. It refuses once the screencast has stopped.
			session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
		});
		// Lossless: the text stays sharp, and what has not changed is the same in all frames.
		await session.send('Page.startScreencast', { format: 'png' });
		return screencast;
	}

	/**
	 * Adds what the page shows now, with its transitions finished, as a frame to look at.
	 *
	 * @param ms how long, when the screencast is played; by default time to read what has changed
	 */
	async hold(ms = 1000): Promise<void> {
		// The newest frame of the screencast may be older than the last change.
		const png = await this.page.screenshot({ animations: 'disabled', caret: 'initial' });
		this.add(png, ms, Date.now() / 1000);
	}

	/** Stops, and saves the frames with their list to a new folder. */
	async stop(folder: string): Promise<void> {
		await this.session.send('Page.stopScreencast');
		await this.session.detach();
		await mkdir(folder, { recursive: true });
		// A frame can arrive after a screenshot that was taken later.
		this.frames.sort((a, b) => a.secondsSince1970 - b.secondsSince1970);
		const list: Frame[] = this.frames.map(({ heldMs }, i) => ({ file: `${i}.png`, heldMs }));
		for (const [i, { file }] of list.entries()) {
			await writeFile(join(folder, file), this.frames[i].png);
		}
		await writeFile(join(folder, LIST), JSON.stringify(list));
	}

	private add(png: Buffer, heldMs: number, secondsSince1970: number): void {
		this.frames.push({ png, heldMs, secondsSince1970 });
	}
}

/** Reads the list of frames from the folder of a screencast. */
export async function readFrames(folder: string): Promise<Frame[]> {
	return JSON.parse(await readFile(join(folder, LIST), 'utf8')) as Frame[];
}

/** Draws a mouse pointer in a page opened later, and in its frames. Chromium draws none without a screen. */
export async function showPointer(page: Page): Promise<void> {
	await page.addInitScript(`
		const pointer = document.createElement('div');
		pointer.innerHTML = '<svg width="20" height="28"><path d="M2 2v20l5-5 4 9 3-1-4-9h7z" stroke="white" stroke-width="1.5"/></svg>';
		pointer.style = 'position: fixed; top: -2px; left: -2px; z-index: 2147483647; pointer-events: none';
		// The pointer is in one frame only. The others do not always learn that it has left them.
		addEventListener('message', ({ data }) => data === 'pointer' && pointer.remove());
		const tellOthers = (frame) => {
			if (frame !== window) frame.postMessage('pointer', '*');
			for (let i = 0; i < frame.length; i++) tellOthers(frame[i]);
		};
		addEventListener('mousemove', ({ clientX, clientY }) => {
			tellOthers(top);
			if (!pointer.isConnected) document.documentElement.append(pointer);
			pointer.style.translate = clientX + 'px ' + clientY + 'px';
		}, true);
		document.addEventListener('mouseleave', () => pointer.remove());
	`);
}
