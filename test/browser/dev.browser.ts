import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installN8n, PROJECT } from '../../tools/n8n/install';
import { N8nRest } from '../../tools/n8n/rest';
import { N8N_VERSION } from '../../tools/n8n/versions';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';

let folder: string;
let dev: ChildProcess;

beforeAll(async () => {
	await installN8n();
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-dev-'));
	await copyProject(folder);
});

afterAll(async () => {
	if (dev?.exitCode === null && dev.signalCode === null) {
		process.kill(-dev.pid!, 'SIGINT');
		await once(dev, 'exit');
	}
	await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Copies the project with its uncommitted changes, and links the installed folders. */
async function copyProject(copy: string): Promise<void> {
	const files = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8' });
	for (const file of files.split('\0').filter((name) => name && existsSync(join(PROJECT, name)))) {
		await cp(join(PROJECT, file), join(copy, file));
	}
	await mkdir(join(copy, '.local'));
	for (const linked of ['node_modules', '.local/node-24', `.local/n8n-${N8N_VERSION}`]) {
		const origin = join(PROJECT, linked);
		// Node 24 is only installed on machines without it.
		if (existsSync(origin)) await symlink(origin, join(copy, linked), 'junction');
	}
}

test('npm run dev loads what is saved into n8n, and Ctrl-C stops all of it', async () => {
	let output = '';
	// In its own process group, as in a terminal.
	dev = spawn('npm', ['run', 'dev', '--', '--no-open'], { cwd: folder, detached: true });
	for (const stream of [dev.stdout!, dev.stderr!]) {
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	}
	const isRunning = (saw: (seen: string) => string) => {
		if (dev.exitCode !== null) throw new Error(`npm run dev has exited. It printed:\n${output}`);
		return saw(output).includes('Ctrl-C stops all of it.');
	};
	await waitUntil('npm run dev', isRunning, N8N_LIMIT_MS);

	const file = join(folder, 'nodes/MessagingAccount/operations/sendImage.operation.ts');
	const code = await readFile(file, 'utf8');
	expect(code).toContain("displayName: 'Caption'");
	await writeFile(file, code.replace("displayName: 'Caption'", "displayName: 'Words Below'"));
	const n8n = new N8nRest(output.match(/http:\S+(?=\/workflow\/)/)![0]);
	await n8n.logIn();
	const isNew = async () => String(await n8n.file('/types/nodes.json')).includes('"Words Below"');
	await waitUntil('the new label in n8n', isNew, N8N_LIMIT_MS);

	const urls = [...new Set(output.match(/http:\/\/127\.0\.0\.1:\d+\S*/g))];
	expect(urls.length).toBeGreaterThan(2);
	const isUp = async (url: string) => (await fetch(url).catch(() => undefined)) !== undefined;
	expect(await Promise.all(urls.map(isUp))).not.toContain(false);
	const exit = once(dev, 'exit');
	process.kill(-dev.pid!, 'SIGINT');
	await exit;
	const allHaveStopped = async () => !(await Promise.all(urls.map(isUp))).includes(true);
	await waitUntil('all to stop', allHaveStopped, N8N_LIMIT_MS);
});
