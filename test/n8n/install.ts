/* eslint-disable @n8n/community-nodes/no-restricted-globals -- Jest's way from its global setup to the tests is the environment */
import { installN8n, installPackage, packProject } from '../../tools/n8n/install';

/** Once before all runs in a real n8n: n8n (TEST_N8N_VERSION, or the one of the demo), the packed package, and the package installed as a self-hoster does it. */
export default async function install(): Promise<void> {
	step('Installing n8n (a few minutes the first time) …');
	process.env.TEST_N8N_BIN = await installN8n(process.env.TEST_N8N_VERSION);
	step('Building and packing the package …');
	process.env.TEST_TARBALL = await packProject();
	step('Installing the packed package …');
	process.env.TEST_NODES_FOLDER = await installPackage(process.env.TEST_TARBALL);
}

function step(text: string): void {
	process.stderr.write(`${text}\n`);
}
