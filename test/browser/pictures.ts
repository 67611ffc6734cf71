/* eslint-disable @n8n/community-nodes/no-restricted-imports, no-console -- writes the README's pictures, and says so */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { PROJECT } from '../../tools/n8n/install';
import { SCREENSHOTS, startChromium } from './chromium';

/** The README shows these of the screenshots that the browser tests keep. */
const SHOWN = ['beside-the-phone', 'node-panel', 'send-image', 'qr-code', 'trigger'];

/** In canvas.toDataURL's scale: letters stay sharp, and a picture is a third of the PNG. */
const QUALITY = 0.85;

void main();

/** Makes WebP of them, which Chromium itself can write. */
async function main(): Promise<void> {
	const browser = await startChromium();
	const page = await browser.newPage();
	for (const name of SHOWN) {
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
		const file = join('demo', 'pictures', `${name}.webp`);
		await writeFile(join(PROJECT, file), Buffer.from(webp, 'base64'));
		console.log(file);
	}
	await browser.close();
}
