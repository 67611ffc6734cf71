import type { Frame } from './screencast';

const MOVING_MS = 50;
/** Of one movement. */
const MAX_MOVING_FRAMES = 45;

export interface TimedFrame {
	file: string;
	durationMs: number;
}

/**
 * Sets how long each frame is shown: one to look at as long as it asks for, a movement for a little over two seconds at most,
 * however long it took on this machine. Drops frames of a movement that has too many, evenly, and those after the last frame to look at.
 *
 * @throws if there is no movement
 */
export function setPace(frames: Frame[]): TimedFrame[] {
	const timed: TimedFrame[] = [];
	let movement: Frame[] = [];
	let hasMoved = false;
	for (const frame of frames) {
		if (frame.heldMs === 0) {
			movement.push(frame);
			continue;
		}
		const kept = pickEvenly(movement, MAX_MOVING_FRAMES);
		timed.push(...kept.map(({ file }) => ({ file, durationMs: MOVING_MS })));
		timed.push({ file: frame.file, durationMs: frame.heldMs });
		hasMoved ||= kept.length > 0;
		movement = [];
	}
	if (!hasMoved) {
		throw new Error(
			'The screencast has no moving frames. Run the browser tests again, and see whether Chromium sends Page.screencastFrame.',
		);
	}
	return timed;
}

function pickEvenly<T>(list: T[], count: number): T[] {
	if (list.length <= count) return list;
	return Array.from({ length: count }, (_, i) => list[Math.floor((i * list.length) / count)]);
}
