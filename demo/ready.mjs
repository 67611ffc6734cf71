// Runs a command with all it needs: Node 24, which n8n asks for, and the development dependencies of this project.
// It is what makes `npm test` and `npm run demo` work in a fresh clone, so it has no dependencies itself.
//
//   node demo/ready.mjs COMMAND [ARGUMENT…]

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { whileLocked } from './lock.js';

const NODE_MAJOR = 24;
const PARENT_CHECK_MS = 500;
/** Longer than n8n takes to end its executions. */
const END_LIMIT_MS = 40_000;
const END_CHECK_MS = 200;
const isWindows = process.platform === 'win32';
const project = join(dirname(fileURLToPath(import.meta.url)), '..');
const local = join(project, '.local');

const [command, ...args] = process.argv.slice(2);
if (!command) fail('Say which command to run, e.g. node demo/ready.mjs jest');

const env = await whileLocked(join(local, 'ready.lock'), () => {
	const withNode = { ...process.env, PATH: [nodeFolder(), process.env.PATH].join(delimiter) };
	installDependencies(withNode);
	return {
		...withNode,
		PATH: [join(project, 'node_modules', '.bin'), withNode.PATH].join(delimiter),
	};
}).catch((error) => fail(error.message));

// The command leads a process group, so that what it has started, such as n8n, can be ended with it in any case.
const child = spawn(command, args, {
	cwd: project,
	env,
	stdio: 'inherit',
	shell: isWindows,
	detached: !isWindows,
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => endGroup(signal));
// When npm itself is ended, the shell between it and this process ends without passing the signal on.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && endGroup('SIGTERM'), PARENT_CHECK_MS).unref();
child.on('error', (error) => fail(`${command} could not be started: ${error.message}`));
child.on('exit', async (code, signal) => {
	await groupEnded();
	process.exit(signal ? 1 : (code ?? 1));
});

/**
 * So that nothing of this run holds a port when the next one starts. Again and again, because what was just about to start
 * another process may have done so after the first signal.
 */
async function groupEnded() {
	const deadline = Date.now() + END_LIMIT_MS;
	while (endGroup(Date.now() > deadline ? 'SIGKILL' : 'SIGTERM')) await sleep(END_CHECK_MS);
}

/** @returns whether there was somebody to get the signal */
function endGroup(signal) {
	try {
		return process.kill(isWindows ? child.pid : -child.pid, signal);
	} catch (error) {
		if (error.code !== 'ESRCH') throw error;
		return false;
	}
}

/** The folder of a `node` that is new enough: this one's, or that of the npm package `node`, installed once. */
function nodeFolder() {
	if (Number(process.versions.node.split('.')[0]) >= NODE_MAJOR) return dirname(process.execPath);
	const folder = join(local, `node-${NODE_MAJOR}`);
	const bin = join(folder, 'node_modules', 'node', 'bin');
	const node = join(bin, isWindows ? 'node.exe' : 'node');
	if (!existsSync(node)) {
		say(`This machine has Node ${process.versions.node}; getting Node ${NODE_MAJOR} beside it …`);
		mkdirSync(folder, { recursive: true });
		// Its install script is what brings the binary: npm before 12 runs it unless told not to, npm 12 if it is named.
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

/** `npm ci`, when package-lock.json is not the one that was installed last. */
function installDependencies(withNode) {
	const wanted = createHash('sha256')
		.update(readFileSync(join(project, 'package-lock.json')))
		.digest('hex');
	const note = join(project, 'node_modules', '.installed-lock');
	if (existsSync(note) && readFileSync(note, 'utf8') === wanted) return;
	say('Installing the development dependencies, about a minute …');
	npm(['ci', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'], {
		cwd: project,
		env: withNode,
	});
	writeFileSync(note, wanted);
}

function npm(npmArgs, options) {
	const { status } = spawnSync('npm', npmArgs, { ...options, stdio: 'inherit', shell: isWindows });
	if (status !== 0) throw new Error(`npm ${npmArgs[0]} did not succeed; what it printed is above.`);
}

function say(text) {
	process.stderr.write(`${text}\n`);
}

function fail(text) {
	say(text);
	process.exit(1);
}
