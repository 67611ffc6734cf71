import { checkLimits, MAX_BYTES, MAX_MS, setPace } from './movingPicture';
import type { Frame } from './screencast';

/** Frames named after their place. "m" is one of a movement, "H" one to look at. */
const frames = (shape: string): Frame[] =>
	[...shape].map((letter, i) => ({ file: `${i}.png`, held: letter === 'H' }));

describe('the pace', () => {
	test('shows movements quickly, what is to be looked at for a second, and the end for longer', () => {
		expect(setPace(frames('HmmHmH'))).toEqual([
			{ file: '0.png', durationMs: 1000 },
			{ file: '1.png', durationMs: 50 },
			{ file: '2.png', durationMs: 50 },
			{ file: '3.png', durationMs: 1000 },
			{ file: '4.png', durationMs: 50 },
			{ file: '5.png', durationMs: 2500 },
		]);
	});

	test('drops frames of a long movement evenly', () => {
		const paced = setPace(frames(`H${'m'.repeat(90)}HmH`));
		const kept = Array.from({ length: 45 }, (_, i) => `${1 + 2 * i}.png`);
		expect(paced.map(({ file }) => file)).toEqual(['0.png', ...kept, '91.png', '92.png', '93.png']);
	});

	test('ends with the last frame to look at', () => {
		expect(setPace(frames('HmHmm')).at(-1)!.file).toBe('2.png');
	});

	test.each(['', 'H', 'HH', 'mm'])(
		'is refused for a screencast without movement: "%s"',
		(shape) => {
			expect(() => setPace(frames(shape))).toThrow('The screencast has no moving frames.');
		},
	);
});

describe('the limits', () => {
	test('may be reached', () => {
		expect(() => checkLimits(MAX_BYTES, MAX_MS)).not.toThrow();
	});

	test('may not be exceeded', () => {
		expect(() => checkLimits(2_000_001, 0)).toThrow('The moving picture has 2000001 bytes.');
		expect(() => checkLimits(0, 20_001)).toThrow('The moving picture lasts 20001 ms.');
	});
});
