// Runs a command with Node 24, which n8n requires, and the project's dev dependencies.
// Must have no dependencies itself: `npm test` and `npm run demo` start with it in a fresh clone.
//
//   node tools/run.mjs COMMAND [ARGUMENT…]

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { withLock } from './processLock.js';

const NODE_MAJOR = 24;
const PARENT_CHECK_MS = 500;
/** Longer than n8n needs to finish its executions on shutdown. */
const STOP_TIMEOUT_MS = 40_000;
const STOP_CHECK_MS = 200;
const isWindows = process.platform === 'win32';
const project = join(dirname(fileURLToPath(import.meta.url)), '..');
const local = join(project, '.local');

const [command, ...args] = process.argv.slice(2);
if (!command) fail('Usage: node tools/run.mjs COMMAND [ARGUMENT…]');

const env = await withLock(join(local, 'run.lock'), () => {
	const nodeEnv = { ...process.env, PATH: [findNodeFolder(), process.env.PATH].join(delimiter) };
	installDependencies(nodeEnv);
	return {
		...nodeEnv,
		PATH: [join(project, 'node_modules', '.bin'), nodeEnv.PATH].join(delimiter),
	};
}).catch((error) => fail(error.message));

// The command leads its own process group, so that signals also reach what it has started, such as n8n.
const child = spawn(command, args, {
	cwd: project,
	env,
	stdio: 'inherit',
	shell: isWindows,
	detached: !isWindows,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signalGroup(signal));
// When npm is terminated, the shell between npm and this process exits without forwarding the signal.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && signalGroup('SIGTERM'), PARENT_CHECK_MS).unref();
child.on('error', (error) => fail(`Could not start ${command}: ${error.message}`));
child.on('exit', async (code, signal) => {
	await stopGroup();
	process.exit(signal ? 1 : (code ?? 1));
});

/**
 * Stops every process of the group, so that none holds a port when the next run starts. Signals repeatedly: a process may
 * start another one after the first signal.
 */
async function stopGroup() {
	const deadline = Date.now() + STOP_TIMEOUT_MS;
	while (signalGroup(Date.now() > deadline ? 'SIGKILL' : 'SIGTERM')) await sleep(STOP_CHECK_MS);
}

/** @returns false if the group has no process left */
function signalGroup(signal) {
	try {
		return process.kill(isWindows ? child.pid : -child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
		return false;
	}
}

/** The folder of a recent enough `node`: the current one, or the npm package `node`, which is installed once. */
function findNodeFolder() {
	if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return dirname(process.execPath);
	const folder = join(local, `node-${NODE_MAJOR}`);
	const bin = join(folder, 'node_modules', 'node', 'bin');
	const node = join(bin, isWindows ? 'node.exe' : 'node');
	if (!existsSync(node)) {
		log(
			`Node ${process.versions.node} is too old. Installing Node ${NODE_MAJOR} for this project only …`,
		);
		mkdirSync(folder, { recursive: true });
		// An install script adds the binary: npm before 12 runs it unless `ignore-scripts` is set, npm 12 if `allowScripts` names it.
		const manifest = { private: true, allowScripts: { node: true } };
		writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
		npm(['install', '--silent', '--ignore-scripts=false', `node@${NODE_MAJOR}`], {
			cwd: folder,
			env: process.env,
		});
		if (!existsSync(node)) throw new Error(`npm installed Node ${NODE_MAJOR} without its binary.`);
	}
	return bin;
}

/** Runs `npm ci` unless package-lock.json is unchanged since the last install. */
function installDependencies(nodeEnv) {
	const lockHash = createHash('sha256')
		.update(readFileSync(join(project, 'package-lock.json')))
		.digest('hex');
	const marker = join(project, 'node_modules', '.installed-lock');
	if (existsSync(marker) && readFileSync(marker, 'utf8') === lockHash) return;
	log('Installing the dev dependencies: 1.2 GB, which can take minutes …');
	npm(['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: project,
		env: nodeEnv,
	});
	writeFileSync(marker, lockHash);
}

function npm(npmArgs, options) {
	const { status } = spawnSync('npm', npmArgs, { ...options, stdio: 'inherit', shell: isWindows });
	if (status !== 0) throw new Error(`npm ${npmArgs[0]} failed. See its output above.`);
}

function log(text) {
	process.stderr.write(`${text}\n`);
}

function fail(text) {
	log(text);
	process.exit(1);
}
