const { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const POLL_MS = 300;
const SILENT_POLLS = 20;

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
	for (let polls = 1; !takeLock(file); polls++) {
		if (polls === SILENT_POLLS) {
			process.stderr.write(`Waiting for process ${holderOf(file)}, which holds ${file} …\n`);
		}
		await sleep(POLL_MS);
	}
	try {
		return await work();
	} finally {
		releaseLock(file);
	}
}

/**
 * Takes the lock if it is free. A lock whose process has ended counts as free.
 *
 * @param {string} file
 * @returns {boolean}
 */
function takeLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	const holder = holderOf(file);
	if (holder && !isAlive(holder)) setFree(file, holder);
	return publish(file, String(process.pid));
}

/** @param {string} file */
function releaseLock(file) {
	if (holderOf(file) === process.pid) rmSync(file, { force: true });
}

/** By a link, so that the file is there with its content or not at all. */
function publish(file, content) {
	const own = `${file}.${process.pid}`;
	writeFileSync(own, content);
	try {
		linkSync(own, file);
		return true;
	} catch (error) {
		if (error.code !== 'EEXIST') throw error;
		return false;
	} finally {
		rmSync(own, { force: true });
	}
}

/** Another process may have done the same just now and hold the lock: then it gets it back. */
function setFree(file, deadHolder) {
	const moved = `${file}.${process.pid}.stale`;
	try {
		renameSync(file, moved);
	} catch (error) {
		if (error.code === 'ENOENT') return;
		throw error;
	}
	const holder = holderOf(moved);
	rmSync(moved, { force: true });
	if (holder !== deadHolder) publish(file, String(holder));
}

function holderOf(file) {
	try {
		return Number(readFileSync(file, 'utf8'));
	} catch {
		return undefined;
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
