import type { Page } from 'playwright-core';

/** Makes room for captions below what the page shows, so that they cover nothing of it. */
export async function makeRoomForCaptions(page: Page): Promise<void> {
	await page.addStyleTag({
		content: `
			body {
				height: calc(100vh - 60px);
			}
			#caption,
			#card {
				position: fixed;
				inset: auto 0 0;
				z-index: 1;
				box-sizing: border-box;
				height: 60px;
				background: #12312f;
				color: white;
				font-size: 25px;
				line-height: 60px;
				text-align: center;
			}
			#card {
				z-index: 2;
				height: 100vh;
				padding-top: 35vh;
			}
			#card::first-line {
				font-size: 56px;
				line-height: 100px;
			}
		`,
	});
}

/** Shows a caption in place of the one before. */
export async function showCaption(page: Page, text: string): Promise<void> {
	await show(page, 'caption', text);
}

/** Covers the page with a title and lines of text, until it is hidden. */
export async function showCard(page: Page, lines: string[]): Promise<void> {
	await show(page, 'card', lines.join('\n'));
}

export async function hideCard(page: Page): Promise<void> {
	await page.evaluate("document.getElementById('card').remove()");
}

async function show(page: Page, id: string, text: string): Promise<void> {
	const [quotedId, quotedText] = [id, text].map((value) => JSON.stringify(value));
	await page.evaluate(`{
		const shown = document.getElementById(${quotedId}) ?? document.createElement('div');
		shown.id = ${quotedId};
		shown.innerText = ${quotedText};
		document.body.append(shown);
	}`);
}
