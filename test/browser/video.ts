import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { LOCAL, PROJECT } from '../../tools/n8n/install';
import { findOnPath, installFromDebian } from '../support/programs';
import { SCREENSHOTS } from './chromium';
import { setPace } from './pace';
import { readFrames } from './screencast';

const FILE = join(LOCAL, 'video', 'messaging-account.mp4');

/** n8n's reviewers ask for a shorter one. */
const MAX_SECONDS = 300;

void main();

/** Makes the video of the screencast that video.recording.ts has recorded. */
async function main(): Promise<void> {
	if (!findOnPath('ffmpeg')) {
		await installFromDebian(['ffmpeg'], 'On other systems, install ffmpeg with ffprobe.');
	}
	const folder = join(SCREENSHOTS, 'video');
	const frames = setPace(await readFrames(folder));
	const list = frames.map(({ file, durationMs }) => `file ${file}\nduration ${durationMs}ms\n`);
	// ffmpeg ignores the duration of the last one.
	await writeFile(join(folder, 'list.txt'), `${list.join('')}file ${frames.at(-1)!.file}\n`);
	await mkdir(dirname(FILE), { recursive: true });
	// Frames that change rarely, for any player.
	const codec = ['-vf', 'fps=20,format=yuv420p', '-c:v', 'libx264', '-crf', '20'];
	execFileSync(
		'ffmpeg',
		[
			'-v',
			'error',
			'-y',
			'-f',
			'concat',
			'-i',
			'list.txt',
			...codec,
			'-movflags',
			'+faststart',
			FILE,
		],
		{ cwd: folder, stdio: 'inherit' },
	);

	const seconds = Number(
		execFileSync('ffprobe', [
			'-v',
			'error',
			'-show_entries',
			'format=duration',
			'-of',
			'csv=p=0',
			FILE,
		]),
	);
	console.log(`${relative(PROJECT, FILE)}: ${Math.round(seconds)} seconds`);
	if (!(seconds < MAX_SECONDS)) {
		throw new Error(`The video lasts ${seconds} s. It must be shorter than ${MAX_SECONDS} s.`);
	}
}
