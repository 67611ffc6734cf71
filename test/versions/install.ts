import { installWithPnpm } from '../../tools/n8n/install';
import { N8N_CORES } from '../../tools/n8n/versions';

/** Global setup of the wire tests on another version: installs the n8n-core that TEST_N8N_CORE names, with its n8n-workflow. */
export default async function install(): Promise<void> {
	const core = process.env.TEST_N8N_CORE!;
	const known = N8N_CORES.find((version) => version.core === core);
	if (!known) throw new Error(`tools/n8n/versions.ts does not list n8n-core ${core}.`);
	await installWithPnpm(`n8n-core-${core}`, { 'n8n-core': core, 'n8n-workflow': known.workflow });
}
