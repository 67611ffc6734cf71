/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests install packages */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';

import manifest from '../../package.json';
import { npmInstall } from '../../tools/n8n/install';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { EARLIER_VERSIONS, getArchiveFolder } from '../upgrades/saved';
import { fromGlobalSetup, saveCredential, startRealN8n, type RealN8n } from './realN8n';

/** Only a safeguard: each test waits for several executions, and some for polls. */
const TIMEOUT_MS = 600_000;

/** Responds as its test wants, and no other test makes requests to it. */
export interface Service {
	server: ScriptedServer;
	credentials: INode['credentials'];
}

/** What goes on with this version. */
type GoOn = () => Promise<void>;

/** What begins with the earlier version. */
type Begin = (earlier: { n8n: RealN8n; version: string; service: Service }) => Promise<GoOn>;

/**
 * Defines tests of an n8n that is upgraded from an earlier version of the package to this one, for each archived version. Each
 * test begins with the earlier version, and goes on after the upgrade. All tests share one n8n and one upgrade.
 *
 * @param upgrade stops n8n, installs this version, and starts n8n
 * @param tests by name
 */
export function describeUpgrades(
	upgrade: (n8n: RealN8n, install: () => Promise<void>) => Promise<void>,
	tests: Record<string, Begin>,
): void {
	describe.each(EARLIER_VERSIONS)('upgraded from %s', (version) => {
		const servers: ScriptedServer[] = [];
		let folder: string;
		let n8n: RealN8n | undefined;
		/** By name of the test. */
		let begun: Map<string, Promise<GoOn>>;

		const begin = async (name: string): Promise<GoOn> => {
			const server = await startScriptedServer();
			servers.push(server);
			const account = { baseUrl: server.url, clientId: 'client-7f3a', token: 'token-91c2-5d' };
			const credentials = await saveCredential(n8n!.rest, account);
			return await tests[name]({ n8n: n8n!, version, service: { server, credentials } });
		};

		beforeAll(async () => {
			folder = await mkdtemp(join(tmpdir(), 'messaging-account-nodes-'));
			const installed = { name: 'installed-nodes', private: true };
			await writeFile(join(folder, 'package.json'), JSON.stringify(installed));
			await npmInstall(join(getArchiveFolder(version), 'package.tgz'), folder);
			expect(await readInstalledVersion(folder)).toBe(version);
			n8n = await startRealN8n(undefined, undefined, folder);
			begun = new Map(Object.keys(tests).map((name) => [name, begin(name)]));
			// Each test reports what kept it from beginning.
			await Promise.allSettled(begun.values());
			await upgrade(n8n, async () => await npmInstall(fromGlobalSetup('TEST_TARBALL'), folder));
			expect(await readInstalledVersion(folder)).toBe(manifest.version);
		}, TIMEOUT_MS);

		afterAll(async () => {
			await n8n?.stop();
			for (const server of servers) await server.close();
			await rm(folder, { recursive: true });
		});

		test.each(Object.keys(tests))(
			'%s',
			async (name) => {
				const goOn = await begun.get(name)!;
				await goOn();
			},
			TIMEOUT_MS,
		);
	});
}

async function readInstalledVersion(folder: string): Promise<string> {
	const file = join(folder, 'node_modules', manifest.name, 'package.json');
	return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
