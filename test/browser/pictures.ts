import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PROJECT } from '../../tools/n8n/install';
import { SCREENSHOTS, startChromium } from './chromium';

const PICTURES = join('demo', 'pictures');

/** Screenshots of the browser tests that the documentation shows. */
const SHOWN_SCREENSHOTS =
	'first-send install node-panel credential send-image dry-run error-output qr-code trigger';

/** On the scale of `canvas.toDataURL`. Text stays sharp, and files are a third of the size of PNGs. */
const QUALITY = 0.85;

void convertScreenshots();

/** Converts the screenshots to WebP with Chromium. */
async function convertScreenshots(): Promise<void> {
	const browser = await startChromium();
	const page = await browser.newPage();
	for (const name of SHOWN_SCREENSHOTS.split(' ')) {
		const png = await readFile(join(SCREENSHOTS, `${name}.png`), 'base64');
		const webp = await page.evaluate<string>(`(async () => {
			const image = new Image();
			image.src = 'data:image/png;base64,${png}';
			await image.decode();
			const canvas = new OffscreenCanvas(image.width, image.height);
			canvas.getContext('2d').drawImage(image, 0, 0);
			const blob = await canvas.convertToBlob({ type: 'image/webp', quality: ${QUALITY} });
			return (await blob.arrayBuffer().then((bytes) => new Uint8Array(bytes))).toBase64();
		})()`);
		const file = join(PICTURES, `${name}.webp`);
		await writeFile(join(PROJECT, file), Buffer.from(webp, 'base64'));
		console.log(file);
	}
	await browser.close();
}
