import { PNG } from 'pngjs';

const WIDTH = 320;
const HEIGHT = 200;
const SKY = [255, 183, 120] as const;
const SUN = { x: 160, y: 130, radius: 42, color: [255, 244, 200] } as const;
const SEA = { from: 130, color: [38, 110, 130] } as const;

let picture: Buffer | undefined;

/** A sunrise as a PNG: an image to send without access to the internet. */
export function samplePicture(): Buffer {
	picture ??= draw();
	return picture;
}

function draw(): Buffer {
	const png = new PNG({ width: WIDTH, height: HEIGHT });
	for (let y = 0; y < HEIGHT; y++) {
		for (let x = 0; x < WIDTH; x++) {
			png.data.set([...colorAt(x, y), 255], (y * WIDTH + x) * 4);
		}
	}
	return PNG.sync.write(png);
}

function colorAt(x: number, y: number): readonly number[] {
	if (y >= SEA.from) return SEA.color;
	if (Math.hypot(x - SUN.x, y - SUN.y) < SUN.radius) return SUN.color;
	return SKY.map((value) => Math.round(value * (0.6 + (0.4 * y) / SEA.from)));
}
