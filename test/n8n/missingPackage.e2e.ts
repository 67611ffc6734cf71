import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { IDataObject } from 'n8n-workflow';

import manifest from '../../package.json';
import { PROJECT } from '../../tools/n8n/install';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import {
	createNpmSettings,
	startNpmProxy,
	startRegistry,
	type NpmProxy,
} from '../support/npmRegistry';
import type { ScriptedServer } from '../support/scriptedServer';
import { testOnN8n2 } from './skipByVersion';
import { fromGlobalSetup, saveWorkflow, startRealN8n, type RealN8n } from './realN8n';

// What docs/troubleshooting.md says of nodes that are gone. test/docs/commands.wire.ts runs the README's commands.

const { name, version } = manifest;

let registry: ScriptedServer;
let proxy: NpmProxy;
let nodes: string;
let n8n: RealN8n | undefined;

beforeAll(async () => {
	const tarball = await readFile(fromGlobalSetup('TEST_TARBALL'));
	registry = await startRegistry(name, [version], tarball);
	proxy = await startNpmProxy(registry.url);
});

afterAll(async () => {
	await proxy?.close();
	await registry?.close();
});

beforeEach(async () => {
	nodes = await mkdtemp(join(tmpdir(), 'messaging-account-nodes-'));
});

afterEach(async () => {
	await n8n?.stop();
	n8n = undefined;
	await rm(nodes, { recursive: true, force: true });
});

/** @param env may be changed while n8n is down */
async function start(env: Record<string, string>): Promise<RealN8n> {
	n8n = await startRealN8n(undefined, { env: Object.assign(env, proxy.env) }, nodes);
	return n8n;
}

/** @returns the message of the error with which an execution fails: the node has no credential */
async function execute({ rest }: RealN8n): Promise<string | undefined> {
	const workflow = await saveWorkflow(rest, { parameters: { operation: 'getStatus' } }, [{}]);
	const { data } = await rest.run(workflow, MANUAL_TRIGGER);
	return data.resultData.error?.message;
}

const LOADED = 'Node does not have any credentials set';
const GONE = `Unrecognized node type: ${name}.messagingAccount`;

test('n8n installs again what was installed in its interface, and says if it is gone', async () => {
	// n8n waits for an execution that it has refused to start.
	const env: Record<string, string> = { N8N_GRACEFUL_SHUTDOWN_TIMEOUT: '1' };
	const running = await start(env);
	await running.rest.post('/rest/community-packages', { name, version });
	expect(await execute(running)).toBe(LOADED);

	await running.restart(async () => {
		await rm(nodes, { recursive: true });
		await mkdir(nodes);
	});
	await expect(execute(running)).rejects.toThrow(GONE);

	await running.restart(() => {
		env.N8N_REINSTALL_MISSING_PACKAGES = 'true';
	});
	expect(await execute(running)).toBe(LOADED);
});

testOnN8n2('n8n installs what is declared, verified or with its checksum', async () => {
	const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
	const [declared] = /\[\{"name":.*\}\]/.exec(readme)!;
	const env: Record<string, string> = {
		N8N_COMMUNITY_PACKAGES_MANAGED_BY_ENV: 'true',
		N8N_COMMUNITY_PACKAGES: declared,
	};
	expect(await execute(await start(env))).toBe(LOADED);
	await n8n!.stop();

	env.N8N_UNVERIFIED_PACKAGES_ENABLED = 'false';
	await expect(start(env)).rejects.toThrow('no checksum available');

	const npmEnv = { ...process.env, ...createNpmSettings(registry) };
	const view = ['view', `${name}@${version}`, 'dist.integrity'];
	const { stdout } = await promisify(execFile)('npm', view, { cwd: nodes, env: npmEnv });
	const [one] = JSON.parse(declared) as IDataObject[];
	env.N8N_COMMUNITY_PACKAGES = JSON.stringify([{ ...one, checksum: stdout.trim() }]);
	expect(await execute(await start(env))).toBe(LOADED);
});
