import { installN8n, installPackage, packProject } from '../../tools/n8n/install';
import { N8N_VERSION } from '../../tools/n8n/versions';

/** Global setup: installs n8n (TEST_N8N_VERSION, or the demo's version), and the packed package like on a self-hosted n8n. */
export default async function install(): Promise<void> {
	process.stderr.write('Installing n8n (a few minutes the first time), and the packed package …\n');
	[process.env.TEST_N8N_BIN, process.env.TEST_NODES_FOLDER] = await Promise.all([
		installN8n((process.env.TEST_N8N_VERSION ??= N8N_VERSION)),
		packProject().then(installPackage),
	]);
}
