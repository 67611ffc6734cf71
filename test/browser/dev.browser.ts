/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions -- tests run `npm run dev` on this machine and change files in a copy of the project */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import type { Browser, Page } from 'playwright-core';

import { installN8n, LOCAL, N8N_VERSION, PROJECT } from '../../tools/n8n/install';
import { N8nRest } from '../../tools/n8n/rest';
import { until } from '../support/until';
import { keep, openContext, see, startChromium } from './chromium';
import { Editor, logIn } from './editor';

const SEND_IMAGE = 'nodes/MessagingAccount/operations/sendImage.operation.ts';

/** A limit, not a measure: it builds, imports, starts n8n and waits until that watches, each with limits of its own. */
const START_LIMIT_MS = 600_000;

let folder: string;
let dev: ChildProcess;
/** The processes of `npm run dev` when it was ended. */
let started: number[] = [];
/** By it, in the terminal. */
let printed = '';
let browser: Browser;
let page: Page;
let editor: Editor;

beforeAll(async () => {
	await installN8n();
	folder = await mkdtemp(join(tmpdir(), 'messaging-account-dev-'));
	await copyProject(folder);
	// In a process group of its own, as a terminal does it.
	dev = spawn('npm', ['run', 'dev'], { cwd: folder, detached: true });
	for (const stream of [dev.stdout!, dev.stderr!]) {
		stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
	}
	await prints('Ctrl-C stops all of it.');

	browser = await startChromium();
	const context = await openContext(browser);
	const n8n = new N8nRest(printed.match(/http:\S+(?=\/workflow\/)/)![0]);
	await n8n.logIn();
	await logIn(context, n8n);
	page = await context.newPage();
	editor = new Editor(page);
	await editor.startWorkflow(n8n.url);
}, START_LIMIT_MS);

afterEach(async () => {
	if (page) await keep(page, `at the end of/dev ${expect.getState().currentTestName}`);
});

afterAll(async () => {
	await browser?.close();
	for (const pid of new Set([...left(), ...family()])) {
		try {
			process.kill(pid, 'SIGKILL');
		} catch {
			// It has just ended by itself.
		}
	}
	if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

test('labels changed in a file are seen in the editor that is open', async () => {
	await editor.addAction('Send image');
	await see(editor.details.getByText('Caption', { exact: true }));
	await change(SEND_IMAGE, {
		"action: 'Send image'": "action: 'Send picture'",
		"displayName: 'Caption'": "displayName: 'Words Below'",
	});
	await see(editor.details.getByText('Words Below', { exact: true }));
	await keep(page, 'dev-changed-label');

	await editor.close();
	await editor.openPanel();
	await editor.search('messaging account');
	await editor.found('Messaging Account').click();
	await see(editor.found('Send picture'));
});

test('Ctrl-C in the middle of a change leaves no process and no port behind', async () => {
	started = family();
	expect(started.length).toBeGreaterThan(3);
	const before = printed.length;
	await change(SEND_IMAGE, { "'Words Below'": "'Below'" });
	await prints('File change detected', before);
	process.kill(-dev.pid!, 'SIGINT');
	await until(() => left().length === 0);

	expect(addresses().length).toBeGreaterThan(2);
	for (const url of addresses()) await expect(fetch(url)).rejects.toThrow('fetch failed');
});

/** The project as it is now, with what is installed in it linked. */
async function copyProject(copy: string): Promise<void> {
	const files = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8' });
	for (const file of files.split('\0').filter((name) => name && existsSync(join(PROJECT, name)))) {
		await cp(join(PROJECT, file), join(copy, file));
	}
	await mkdir(join(copy, basename(LOCAL)));
	for (const installed of ['node_modules', '.local/node-24', `.local/n8n-${N8N_VERSION}`]) {
		const origin = join(PROJECT, installed);
		// Node 24 is there only where this machine has none.
		if (existsSync(origin)) await symlink(origin, join(copy, installed), 'junction');
	}
}

/** Waits for a text in the terminal, from a place on. */
async function prints(text: string, from = 0): Promise<void> {
	await until(() => {
		if (dev.exitCode !== null) throw new Error(`npm run dev has ended. It printed:\n${printed}`);
		return printed.includes(text, from);
	});
}

/** Of what was printed. */
function addresses(): string[] {
	return [...new Set(printed.match(/http:\/\/127\.0\.0\.1:\d+\S*/g))];
}

/** Changes a file of the copy, as an editor does when it saves. */
async function change(file: string, changes: Record<string, string>): Promise<void> {
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

/** The processes of this machine, but for those that have ended and whose parent has not asked for their end yet. */
function alive(): Process[] {
	const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,stat='], { encoding: 'utf8' });
	return list
		.split('\n')
		.map((line) => line.trim().split(/\s+/))
		.filter(([pid, , state]) => pid && !state.startsWith('Z'))
		.map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** `npm run dev` and all that it has started, as far as it lives. */
function family(): number[] {
	const processes = alive();
	const members = processes.filter(({ pid }) => pid === dev?.pid);
	for (const { pid } of members) members.push(...processes.filter(({ parent }) => parent === pid));
	return members.map(({ pid }) => pid);
}

/** Of what was ended: what lives nevertheless. */
function left(): number[] {
	const living = new Set(alive().map(({ pid }) => pid));
	return started.filter((pid) => living.has(pid));
}
