/** What an animated WebP says about itself. */
export interface Animation {
	/** In pixels. */
	width: number;
	height: number;
	/** Of one repetition. */
	durationMs: number;
	/** 0 means forever. */
	repetitions: number;
}

/**
 * Reads the header of an animated WebP and the durations of its frames.
 *
 * @see https://developers.google.com/speed/webp/docs/riff_container
 * @throws if it is no WebP or has no animation
 */
export function readAnimation(bytes: Buffer): Animation {
	if (nameAt(bytes, 0) !== 'RIFF' || nameAt(bytes, 8) !== 'WEBP') throw new Error('Not a WebP.');
	const chunks = readChunks(bytes);
	const find = (name: string) => chunks.find((chunk) => chunk.name === name)?.data;
	const [header, animation] = [find('VP8X'), find('ANIM')];
	if (!header || !animation) throw new Error('This WebP is not animated.');
	const frames = chunks.filter(({ name }) => name === 'ANMF');
	return {
		width: header.readUIntLE(4, 3) + 1,
		height: header.readUIntLE(7, 3) + 1,
		durationMs: frames.reduce((sum, { data }) => sum + data.readUIntLE(12, 3), 0),
		repetitions: animation.readUInt16LE(4),
	};
}

interface Chunk {
	name: string;
	data: Buffer;
}

function readChunks(bytes: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	let start = 12;
	while (start < bytes.length) {
		const size = bytes.readUInt32LE(start + 4);
		const data = bytes.subarray(start + 8, start + 8 + size);
		chunks.push({ name: nameAt(bytes, start), data });
		// A chunk of odd size is followed by a byte that is not part of it.
		start += 8 + size + (size % 2);
	}
	return chunks;
}

function nameAt(bytes: Buffer, start: number): string {
	return bytes.toString('latin1', start, start + 4);
}
