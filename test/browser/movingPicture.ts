/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-dangerous-functions -- runs a program that is installed on this machine */
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import { findOnPath, installFromDebian } from '../support/programs';
import { readAnimation } from '../support/webp';
import { readFrames, type Frame } from './screencast';

const PROGRAM = 'img2webp';

/** Limits for a moving picture in the README. */
export const MAX_BYTES = 2_000_000;
export const MAX_MS = 20_000;

/** Time to read what has changed. */
const HELD_MS = 1000;
/** Time to look at the result, before the picture begins again. */
const LAST_MS = 2500;
const MOVING_MS = 50;
/** Of one movement. */
const MAX_MOVING_FRAMES = 45;

export interface TimedFrame {
	file: string;
	durationMs: number;
}

/**
 * Makes an animated WebP, which repeats forever, of a screencast.
 *
 * @param folder frames of the screencast
 * @throws if there are no frames, img2webp is missing, or the picture exceeds a limit
 */
export async function makeMovingPicture(folder: string, file: string): Promise<void> {
	const frames = setPace(await readFrames(folder));
	await installImg2webp();
	const files = frames.flatMap((frame) => ['-d', `${frame.durationMs}`, frame.file]);
	execFileSync(PROGRAM, ['-loop', '0', '-lossless', ...files, '-o', file], { cwd: folder });
	const bytes = await readFile(file);
	checkLimits(bytes.length, readAnimation(bytes).durationMs);
}

/**
 * Sets how long each frame is shown: one to look at for a second, a movement for a little over two seconds at most, however long it took
 * on this machine. Drops frames of a movement that has too many, evenly, and those after the last frame to look at.
 *
 * @throws if there is no movement
 */
export function setPace(frames: Frame[]): TimedFrame[] {
	const timed: TimedFrame[] = [];
	let movement: Frame[] = [];
	for (const frame of frames) {
		if (!frame.held) {
			movement.push(frame);
			continue;
		}
		const kept = pickEvenly(movement, MAX_MOVING_FRAMES);
		timed.push(...kept.map(({ file }) => ({ file, durationMs: MOVING_MS })));
		timed.push({ file: frame.file, durationMs: HELD_MS });
		movement = [];
	}
	if (timed.every(({ durationMs }) => durationMs === HELD_MS)) {
		throw new Error(
			'The screencast has no moving frames. Run the browser tests again, and see whether Chromium sends Page.screencastFrame.',
		);
	}
	timed.at(-1)!.durationMs = LAST_MS;
	return timed;
}

function pickEvenly<T>(list: T[], count: number): T[] {
	if (list.length <= count) return list;
	return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]);
}

/** @throws if a moving picture is too large or too long */
export function checkLimits(bytes: number, durationMs: number): void {
	if (bytes > MAX_BYTES) {
		throw new Error(`The moving picture has ${bytes} bytes. At most ${MAX_BYTES} are allowed.`);
	}
	if (durationMs > MAX_MS) {
		throw new Error(`The moving picture lasts ${durationMs} ms. At most ${MAX_MS} are allowed.`);
	}
}

/** Installs img2webp from Debian if it is missing. */
async function installImg2webp(): Promise<void> {
	if (findOnPath(PROGRAM)) return;
	await installFromDebian(['webp'], `On other systems, install libwebp with ${PROGRAM}.`);
}
