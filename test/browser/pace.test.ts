import { setPace } from './pace';
import type { Frame } from './screencast';

/** Frames named after their place. "m" is one of a movement, a digit one to look at for as many seconds. */
const frames = (shape: string): Frame[] =>
	[...shape].map((letter, i) => ({
		file: `${i}.png`,
		heldMs: letter === 'm' ? 0 : Number(letter) * 1000,
	}));

test('shows movements quickly, and what is to be looked at as long as it asks for', () => {
	expect(setPace(frames('1mm1m3'))).toEqual([
		{ file: '0.png', durationMs: 1000 },
		{ file: '1.png', durationMs: 50 },
		{ file: '2.png', durationMs: 50 },
		{ file: '3.png', durationMs: 1000 },
		{ file: '4.png', durationMs: 50 },
		{ file: '5.png', durationMs: 3000 },
	]);
});

test('drops frames of a long movement evenly', () => {
	const paced = setPace(frames(`1${'m'.repeat(90)}1m1`));
	const kept = Array.from({ length: 45 }, (_, i) => `${1 + 2 * i}.png`);
	expect(paced.map(({ file }) => file)).toEqual(['0.png', ...kept, '91.png', '92.png', '93.png']);
});

test('ends with the last frame to look at', () => {
	expect(setPace(frames('1m1mm')).at(-1)!.file).toBe('2.png');
});

test.each(['', '1', '11', 'mm'])('refuses a screencast without movement: "%s"', (shape) => {
	expect(() => setPace(frames(shape))).toThrow('The screencast has no moving frames.');
});
