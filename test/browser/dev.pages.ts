import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Browser, Page } from 'playwright-core';

import { installN8n, LOCAL, PROJECT } from '../../tools/n8n/install';
import { N8N_VERSION } from '../../tools/n8n/versions';
import { N8nRest } from '../../tools/n8n/rest';
import { LONG_LIMIT_MS, N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { openContext, saveScreenshot, startChromium, waitForVisible } from './chromium';
import { Editor, logIn } from './editor';

const SEND_IMAGE = 'nodes/MessagingAccount/operations/sendImage.operation.ts';

/** Only a safeguard: building, importing, starting n8n and waiting for its file watcher have their own timeouts. */
const START_TIMEOUT_MS = 600_000;

let folder: string;
let dev: ChildProcess;
/** The processes of `npm run dev` just before it is stopped. */
let started: number[] = [];
/** Everything that it printed. */
let output = '';
let browser: Browser;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	await installN8n();
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-dev-'));
	await copyProject(folder);
	// In its own process group, as in a terminal.
	dev = spawn('npm', ['run', 'dev', '--', '--no-open'], { cwd: folder, detached: true });
	for (const stream of [dev.stdout!, dev.stderr!]) {
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	}
	await waitForOutput('Ctrl-C stops all of it.');

	browser = await startChromium();
	const context = await openContext(browser);
	const n8n = new N8nRest(output.match(/http:\S+(?=\/workflow\/)/)![0]);
	await n8n.logIn();
	await logIn(context, n8n);
	page = await context.newPage();
	editor = new Editor(page);
	await editor.startWorkflow(n8n.url);
}, START_TIMEOUT_MS);

afterEach(async () => {
	if (page) await saveScreenshot(page, `at the end of/dev ${expect.getState().currentTestName}`);
});

afterAll(async () => {
	await browser?.close();
	for (const pid of new Set([...findSurvivors(), ...findProcessTree()])) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has exited in the meantime.
		}
	}
	if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('changed labels appear in the open editor', async () => {
	await editor.addAction('Send image');
	await waitForVisible(editor.details.getByText('Caption', { exact: true }));
	await editFile(SEND_IMAGE, {
		"action: 'Send image'": "action: 'Send picture'",
		"displayName: 'Caption'": "displayName: 'Words Below'",
	});
	await waitForVisible(editor.details.getByText('Words Below', { exact: true }));
	await saveScreenshot(page, 'dev-changed-label');

	await editor.close();
	await editor.openPanel();
	await editor.search('messaging account');
	await editor.panelEntry('Messaging Account').click();
	await waitForVisible(editor.panelEntry('Send picture'));
});

test('Ctrl-C during a rebuild leaves no processes and no open ports', async () => {
	started = findProcessTree();
	expect(started.length).toBeGreaterThan(3);
	const before = output.length;
	await editFile(SEND_IMAGE, { "'Words Below'": "'Below'" });
	await waitForOutput('File change detected', before);
	process.kill(-dev.pid!, 'SIGINT');
	await waitUntil(
		'the end of all processes',
		(saw) => saw(findSurvivors()).length === 0,
		N8N_LIMIT_MS,
	);

	expect(getPrintedUrls().length).toBeGreaterThan(2);
	for (const url of getPrintedUrls()) await expect(fetch(url)).rejects.toThrow('fetch failed');
});

/** Copies the project with its uncommitted changes, and links the installed folders. */
async function copyProject(copy: string): Promise<void> {
	const files = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8' });
	for (const file of files.split('\0').filter((name) => name && existsSync(join(PROJECT, name)))) {
		await cp(join(PROJECT, file), join(copy, file));
	}
	await mkdir(join(copy, basename(LOCAL)));
	for (const linked of ['node_modules', '.local/node-24', `.local/n8n-${N8N_VERSION}`]) {
		const origin = join(PROJECT, linked);
		// Node 24 is only installed on machines without it.
		if (existsSync(origin)) await symlink(origin, join(copy, linked), 'junction');
	}
}

/** Waits until a text is printed after the position `from`. */
async function waitForOutput(text: string, from = 0): Promise<void> {
	await waitUntil(
		`npm run dev to print '${text}'`,
		(saw) => {
			if (dev.exitCode !== null) throw new Error(`npm run dev has exited. It printed:\n${output}`);
			return saw(output).includes(text, from);
		},
		LONG_LIMIT_MS,
	);
}

/** Returns all printed URLs. */
function getPrintedUrls(): string[] {
	return [...new Set(output.match(/http:\/\/127\.0\.0\.1:\d+\S*/g))];
}

/** Replaces texts in a file of the copy, and saves it. */
async function editFile(file: string, changes: Record<string, string>): Promise<void> {
	let text = await readFile(join(folder, file), 'utf8');
	for (const [from, to] of Object.entries(changes)) {
		expect(text).toContain(from);
		text = text.replace(from, to);
	}
	await writeFile(join(folder, file), text);
}

interface Process {
	pid: number;
	parent: number;
}

/** Lists the processes of this machine, except zombies. */
function listProcesses(): Process[] {
	const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
	return list
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([pid, , state]) => pid && !state.startsWith('Z'))
		.map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** Returns `npm run dev` and all its running descendants. */
function findProcessTree(): number[] {
	const processes = listProcesses();
	const members = processes.filter(({ pid }) => pid === dev?.pid);
	for (const { pid } of members) members.push(...processes.filter(({ parent }) => parent === pid));
	return members.map(({ pid }) => pid);
}

/** Returns those of the stopped processes that are still running. */
function findSurvivors(): number[] {
	const running = new Set(listProcesses().map(({ pid }) => pid));
	return started.filter((pid) => running.has(pid));
}
