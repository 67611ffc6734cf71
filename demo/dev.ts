/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions, no-console -- not part of the published node: it builds on this machine and talks to the person at the terminal */
import { spawn, type ChildProcess } from 'node:child_process';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { LOCAL, PROJECT } from './n8n/install';
import { stopProcess } from './n8n/process';
import { runTogether } from './run';

const NAME = 'dev';
const USER_FOLDER = join(LOCAL, NAME);
const N8N_LOG = join(USER_FOLDER, 'n8n.log');

/**
 * n8n takes it for a community package that somebody has installed. It watches all that is in this folder, but follows no
 * links in it; and were the folder itself a link to the project, that would be all of the project, n8n's database included.
 */
const PACKAGE = join(USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-messaging-account');

/** What TypeScript prints after each compilation, whether it has found anything wrong or not. */
const COMPILED = 'Watching for file changes.';

/** What n8n logs when it loads a changed package. */
const RELOADED = 'Hot reload triggered for n8n-nodes-messaging-account';

const WATCH_LIMIT_MS = 120_000;
const LOOK_AGAIN_MS = 1000;

let build: ChildProcess | undefined;

void runTogether({
	name: NAME,
	bring: [
		{
			title: 'Build the package, and go on with every change',
			task: async () => {
				await putManifest();
				await buildAndWatch();
				// Of earlier runs.
				await rm(N8N_LOG, { force: true });
			},
		},
	],
	// n8n loads changed packages only with both.
	env: { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' },
	async whenReady(_running, signal) {
		await untilWatched(signal);
		console.log(
			'\nWhat you change in nodes and credentials is in the open editor within seconds, and in the next execution.',
		);
	},
	async stop() {
		if (build) await stopProcess(build);
	},
});

async function putManifest(): Promise<void> {
	await mkdir(PACKAGE, { recursive: true });
	await copyFile(join(PROJECT, 'package.json'), join(PACKAGE, 'package.json'));
}

/** Starts what `npm run build:watch` does, and waits until it has built the package once. */
async function buildAndWatch(): Promise<void> {
	const gulp = join(PROJECT, 'node_modules/gulp/bin/gulp.js');
	const child = spawn(process.execPath, [gulp, 'build:watch', '-L'], {
		cwd: PROJECT,
		env: { ...process.env, BUILD_FOLDER: join(PACKAGE, 'dist') },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	build = child;
	await new Promise<void>((resolve, reject) => {
		let printed = '';
		child.stdout.on('data', (chunk: Buffer) => {
			process.stdout.write(chunk);
			printed += chunk.toString();
			if (printed.includes(COMPILED)) resolve();
		});
		child.once('exit', () => reject(new Error('The build has ended; what it printed is above.')));
	});
}

/**
 * n8n does not say when it has begun to watch the package, some seconds after it is ready; what changes before that goes
 * unnoticed. So the manifest is written until n8n loads the package anew.
 */
async function untilWatched(signal: AbortSignal): Promise<void> {
	const deadline = Date.now() + WATCH_LIMIT_MS;
	while (!(await readFile(N8N_LOG, 'utf8')).includes(RELOADED)) {
		if (signal.aborted) return;
		if (Date.now() > deadline) {
			throw new Error(`n8n does not notice changes. It may say why in ${N8N_LOG}`);
		}
		await putManifest();
		await sleep(LOOK_AGAIN_MS);
	}
}
