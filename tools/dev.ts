import { spawn, type ChildProcess } from 'node:child_process';
import { copyFile, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { LOCAL, PROJECT } from './n8n/install';
import { stopProcess } from './n8n/n8nProcess';
import { COMMON_FLAGS, readFlags } from './stack/flags';
import { runStack } from './stack/stack';

const NAME = 'dev';
const USER_FOLDER = join(LOCAL, NAME);
const N8N_LOG = join(USER_FOLDER, 'n8n.log');

/**
 * n8n treats this folder as an installed community package and watches everything in it, but does not follow symlinks inside
 * it. The folder itself must not be a symlink to the project: n8n would watch the whole project, including its own database.
 */
const PACKAGE_FOLDER = join(USER_FOLDER, '.n8n/nodes/node_modules/n8n-nodes-messaging-account');

/** TypeScript prints this after each compilation, with or without errors. */
const COMPILED = 'Watching for file changes.';

/** n8n logs this when it reloads a changed package. */
const RELOADED = 'Hot reload triggered for n8n-nodes-messaging-account';

const WATCH_TIMEOUT_MS = 120_000;
const POLL_MS = 1000;

const flags = readFlags(NAME, COMMON_FLAGS);

let build: ChildProcess | undefined;

void runStack({
	name: NAME,
	fresh: flags.fresh,
	open: !flags['no-open'],
	installSteps: [
		{
			title: 'Build the package and watch for changes',
			task: async () => {
				await copyManifest();
				await buildAndWatch();
				// `waitUntilWatched` must not find a reload from an earlier run.
				await rm(N8N_LOG, { force: true });
			},
		},
	],
	// n8n reloads changed packages only if both are set.
	env: { NODE_ENV: 'development', N8N_DEV_RELOAD: 'true' },
	async whenReady(_stack, signal) {
		await waitUntilWatched(signal);
		console.log(
			'\nChange a file in nodes or credentials: the open editor and the next execution use it within seconds.',
		);
	},
	async stop() {
		if (build) await stopProcess(build);
	},
});

async function copyManifest(): Promise<void> {
	await mkdir(PACKAGE_FOLDER, { recursive: true });
	await copyFile(join(PROJECT, 'package.json'), join(PACKAGE_FOLDER, 'package.json'));
}

/** Starts the same build as `gulp build:watch`, for n8n's copy of the package, and waits for the first result. */
async function buildAndWatch(): Promise<void> {
	const gulp = join(PROJECT, 'node_modules/gulp/bin/gulp.js');
	const child = spawn(process.execPath, [gulp, 'build:watch', '-L'], {
		cwd: PROJECT,
		env: { ...process.env, BUILD_FOLDER: join(PACKAGE_FOLDER, 'dist') },
		stdio: ['ignore', 'pipe', 'inherit'],
	});
	build = child;
	await new Promise<void>((resolve, reject) => {
		let output = '';
		child.stdout.on('data', (chunk: Buffer) => {
			process.stdout.write(chunk);
			output += chunk.toString();
			if (output.includes(COMPILED)) resolve();
		});
		child.once('exit', () => reject(new Error('The build exited. See its output above.')));
	});
}

/**
 * Rewrites the manifest until n8n reloads the package. n8n starts watching some seconds after it is ready, does not report
 * when, and misses earlier changes.
 */
async function waitUntilWatched(signal: AbortSignal): Promise<void> {
	const deadline = Date.now() + WATCH_TIMEOUT_MS;
	while (!(await readFile(N8N_LOG, 'utf8')).includes(RELOADED)) {
		if (signal.aborted) return;
		if (Date.now() > deadline) {
			const seconds = WATCH_TIMEOUT_MS / 1000;
			throw new Error(`n8n did not reload the package within ${seconds} s. See ${N8N_LOG}`);
		}
		await copyManifest();
		await sleep(POLL_MS);
	}
}
