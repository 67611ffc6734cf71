const { mkdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const POLL_MS = 300;

/**
 * Runs `work` while no other process of this project holds the lock, so that two runs at once do not install or build
 * into each other.
 *
 * @template T
 * @param {string} file
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
async function whileLocked(file, work) {
	while (!takeLock(file)) await sleep(POLL_MS);
	try {
		return await work();
	} finally {
		releaseLock(file);
	}
}

/** @param {string} file */
function releaseLock(file) {
	rmSync(file, { force: true });
}

/**
 * Takes the lock if it is free. A lock whose process has ended counts as free.
 *
 * @param {string} file
 * @returns {boolean}
 */
function takeLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	try {
		writeFileSync(file, String(process.pid), { flag: 'wx' });
		return true;
	} catch (error) {
		if (error.code !== 'EEXIST') throw error;
	}
	if (isAlive(holderOf(file))) return false;
	releaseLock(file);
	return takeLock(file);
}

/** The holder may not have written its id yet, or may just have let go: then 0, which counts as alive. */
function holderOf(file) {
	try {
		return Number(readFileSync(file, 'utf8'));
	} catch {
		return 0;
	}
}

function isAlive(pid) {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error.code === 'EPERM';
	}
}

exports.whileLocked = whileLocked;
exports.takeLock = takeLock;
exports.releaseLock = releaseLock;
