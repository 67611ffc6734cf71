import { rm } from 'node:fs/promises';

import installN8nAndPackage from '../n8n/install';
import { installChromium, SCREENSHOTS } from './chromium';

/** Global setup of the browser tests: Chromium, and everything that tests in a real n8n need. */
export default async function install(): Promise<void> {
	await rm(SCREENSHOTS, { recursive: true, force: true });
	await installChromium();
	await installN8nAndPackage();
}
