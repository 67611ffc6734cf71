import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROJECT } from '../../tools/n8n/install';
import { readAnimation } from './webp';

/** Numbers of WebP are little-endian. */
const number = (value: number, bytes: number) => {
	const buffer = Buffer.alloc(bytes);
	buffer.writeUIntLE(value, 0, bytes);
	return buffer;
};

const chunk = (name: string, data: Buffer) =>
	Buffer.concat([Buffer.from(name), number(data.length, 4), data, Buffer.alloc(data.length % 2)]);

const file = (...chunks: Buffer[]) => {
	const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
	return Buffer.concat([Buffer.from('RIFF'), number(content.length, 4), content]);
};

const header = chunk('VP8X', Buffer.concat([number(2, 4), number(1439, 3), number(809, 3)]));
const repeated = (times: number) => chunk('ANIM', Buffer.concat([number(0, 4), number(times, 2)]));
/** Position and size, 3 bytes each, then the duration, flags, and the picture. */
const frame = (durationMs: number, picture = '') =>
	chunk(
		'ANMF',
		Buffer.concat([Buffer.alloc(12), number(durationMs, 3), Buffer.from(`.${picture}`)]),
	);

test('reads the size, the duration of all frames, and the repetitions', () => {
	expect(readAnimation(file(header, repeated(0), frame(1000), frame(70_000)))).toEqual({
		width: 1440,
		height: 810,
		durationMs: 71_000,
		repetitions: 0,
	});
	expect(readAnimation(file(header, repeated(3))).repetitions).toBe(3);
});

test('reads on after a frame of odd size', () => {
	const frames = [frame(20, 'x'), frame(30, 'xx'), frame(40)];
	expect(readAnimation(file(header, repeated(0), ...frames)).durationMs).toBe(90);
});

test('refuses what is not an animated WebP', () => {
	const still = readFileSync(join(PROJECT, 'demo/pictures/qr-code.webp'));
	expect(() => readAnimation(still)).toThrow('This WebP is not animated.');
	expect(() => readAnimation(file(header))).toThrow('This WebP is not animated.');
	expect(() => readAnimation(Buffer.from('a PNG, perhaps'))).toThrow('Not a WebP.');
	expect(() => readAnimation(Buffer.alloc(0))).toThrow('Not a WebP.');
});
