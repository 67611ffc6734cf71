/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests install packages */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import manifest from '../../package.json';
import { npmInstall } from '../../tools/n8n/install';
import { describeAtNight } from '../support/night';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { EARLIER_VERSIONS, getArchiveFolder } from '../upgrades/saved';
import { fromGlobalSetup, saveCredential, startRealN8n, type RealN8n } from './realN8n';
import { savedNodes } from './upgrade/savedNodes';
import { sends } from './upgrade/sends';
import { triggers } from './upgrade/triggers';
import type { GoOn, UpgradeTest } from './upgrade/upgradeTest';

/** Only a safeguard: all tests begin in here. */
const TIMEOUT_MS = 600_000;

/** As n8n installs a package from its settings: the nodes use n8n's own n8n-workflow. In the other tests, they have another. */
const WITHOUT_PEERS = ['--legacy-peer-deps'];

const TESTS: Record<string, UpgradeTest> = { ...triggers, ...sends, ...savedNodes };

describeAtNight.each(EARLIER_VERSIONS)('upgraded from %s', (version) => {
	const servers: ScriptedServer[] = [];
	/** By name of the test. */
	const ended = new Map<string, Promise<void>>();
	let folder: string;
	let n8n: RealN8n | undefined;
	let tellDown: () => void;
	const whenDown = new Promise<void>((resolve) => (tellDown = resolve));

	const begin = async (test: UpgradeTest): Promise<GoOn> => {
		const server = await startScriptedServer();
		servers.push(server);
		const account = { baseUrl: server.url, clientId: 'client-7f3a', token: 'token-91c2-5d' };
		const credentials = await saveCredential(n8n!.rest, account);
		return await test({ n8n: n8n!, version, service: { server, credentials }, whenDown });
	};

	// All tests share one upgrade, which takes half a minute.
	beforeAll(async () => {
		folder = await mkdtemp(join(tmpdir(), 'messaging-account-nodes-'));
		const installed = { name: 'installed-nodes', private: true };
		await writeFile(join(folder, 'package.json'), JSON.stringify(installed));
		await npmInstall(join(getArchiveFolder(version), 'package.tgz'), folder, WITHOUT_PEERS);
		expect(await readInstalledVersion(folder)).toBe(version);
		// As n8n 2 has them: otherwise, n8n 1 keeps files in memory, and cannot begin two transactions at the same time.
		const env = { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem', DB_SQLITE_POOL_SIZE: '3' };
		n8n = await startRealN8n(undefined, { env }, folder);
		const begun = Object.entries(TESTS).map(([name, test]) => ({ name, goOn: begin(test) }));
		// What a test throws is reported by that test.
		await Promise.allSettled(begun.map(({ goOn }) => goOn));
		await n8n.crash(async () => {
			tellDown();
			await npmInstall(fromGlobalSetup('TEST_TARBALL'), folder, WITHOUT_PEERS);
		});
		expect(await readInstalledVersion(folder)).toBe(manifest.version);
		for (const { name, goOn } of begun) {
			ended.set(
				name,
				goOn.then(async (run) => await run()),
			);
		}
		// Each test waits for its own.
		void Promise.allSettled(ended.values());
	}, TIMEOUT_MS);

	afterAll(async () => {
		await n8n?.stop();
		for (const server of servers) await server.close();
		await rm(folder, { recursive: true });
	});

	test.each(Object.keys(TESTS))('%s', async (name) => await ended.get(name));
});

async function readInstalledVersion(folder: string): Promise<string> {
	const file = join(folder, 'node_modules', manifest.name, 'package.json');
	return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
