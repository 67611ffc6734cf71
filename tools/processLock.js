const { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { dirname } = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

const POLL_MS = 300;
const POLLS_BEFORE_NOTICE = 20;

/**
 * Runs `work` while holding the lock; waits until no other process holds it. Prevents concurrent runs of this project from
 * installing or building into the same folder.
 *
 * @template T
 * @param {string} file
 * @param {() => T | Promise<T>} work
 * @returns {Promise<T>}
 */
async function withLock(file, work) {
	for (let polls = 1; !takeLock(file); polls++) {
		if (polls === POLLS_BEFORE_NOTICE) {
			process.stderr.write(`Waiting for process ${holderOf(file)} to release ${file} …\n`);
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
 * Takes the lock if it is free or its holder no longer runs.
 *
 * @param {string} file
 * @returns {boolean} whether this process got the lock
 */
function takeLock(file) {
	mkdirSync(dirname(file), { recursive: true });
	const holder = holderOf(file);
	if (holder && !isAlive(holder)) removeStaleLock(file, holder);
	return createLock(file, String(process.pid));
}

/** @param {string} file */
function releaseLock(file) {
	if (holderOf(file) === process.pid) rmSync(file, { force: true });
}

/** Creates the file by a hard link, so it is never visible without its content. Returns false if it already exists. */
function createLock(file, content) {
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

/** Puts the lock back if another process has meanwhile replaced the stale one with its own. */
function removeStaleLock(file, deadHolder) {
	const moved = `${file}.${process.pid}.stale`;
	try {
		renameSync(file, moved);
	} catch (error) {
		if (error.code === 'ENOENT') return;
		throw error;
	}
	const holder = holderOf(moved);
	rmSync(moved, { force: true });
	if (holder !== deadHolder) createLock(file, String(holder));
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

exports.withLock = withLock;
exports.takeLock = takeLock;
exports.releaseLock = releaseLock;
