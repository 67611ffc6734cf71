import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

import { findOnPath, installFromDebian } from '../support/programs';
import { readAnimation } from '../support/webp';
import { setPace } from './pace';
import { readFrames } from './screencast';

const PROGRAM = 'img2webp';

/** Limits for a moving picture in the README. */
export const MAX_BYTES = 2_000_000;
export const MAX_MS = 20_000;

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
