/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests keep what a browser showed on this machine */
import { rm } from 'node:fs/promises';

import installN8nAndPackage from '../n8n/install';
import { installChromium, SCREENSHOTS } from './chromium';

/** Once before the runs in a browser: what every run in a real n8n needs, and Chromium. */
export default async function install(): Promise<void> {
	await rm(SCREENSHOTS, { recursive: true, force: true });
	await installChromium();
	await installN8nAndPackage();
}
