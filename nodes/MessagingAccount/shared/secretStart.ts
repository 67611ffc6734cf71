import {
	beginsEncoding,
	MAX_ENCODED_LENGTH,
	readingCode,
	readingLength,
	RING,
	RING_MASK,
	type Readings,
} from './encodings';
import { NOTHING, toTableIndex, type SecretPattern } from './secretPattern';

/** Instead of an offset: the secret starts in what is masked already. */
export const MASKED = -1;

/** The search back from the end of a secret to its start. */
export class SecretStart {
	/** How many characters were followed so far, plain and encoded. */
	followed = 0;
	/** For each offset, the set of places that the text from there to the end can be read as, in a ring. */
	private readonly sets: Int32Array;

	constructor(private readonly pattern: SecretPattern) {
		this.sets = new Int32Array(RING * pattern.words);
	}

	/**
	 * Searches back, but not into what is masked already: so nothing is searched twice, however many secrets overlap.
	 *
	 * @param end where the ending of the secret was found
	 * @param maskedEnd the end of what is masked already
	 * @param readingsAt returns the readings of an offset
	 * @returns where the secret starts. If only part of it is there, with its ending: where that part starts. `MASKED` if it
	 * starts in what is masked already
	 */
	find(
		text: string,
		end: number,
		maskedEnd: number,
		readingsAt: (offset: number) => Readings,
	): number {
		const { length, endingLength, words } = this.pattern;
		if (end - maskedEnd < endingLength) return MASKED;
		if (end - maskedEnd >= length && this.pattern.isPlainBefore(text, end)) return end - length;
		this.clear(end);
		this.sets[(end & RING_MASK) * words + words - 1] = 1 << ((length - 1) & 31);
		let part = MASKED;
		let lastFollowed = end;
		for (let offset = end - 1; offset >= maskedEnd; offset--) {
			// No character is longer, so nothing goes on from here.
			if (lastFollowed - offset > MAX_ENCODED_LENGTH) break;
			this.clear(offset);
			const code = text.charCodeAt(offset);
			let reached = this.follow(offset, offset + 1, code);
			if (beginsEncoding(code)) {
				const readings = readingsAt(offset);
				for (let nesting = 1; nesting <= readings.nesting; nesting++) {
					const reading = readings.at(offset, nesting);
					const to = offset + readingLength(reading);
					if (to <= end) reached |= this.follow(offset, to, readingCode(reading));
				}
			}
			if ((reached & START) !== 0) return offset;
			if ((reached & PART) !== 0) part = offset;
			if (reached !== 0) lastFollowed = offset;
		}
		return part;
	}

	private clear(offset: number): void {
		const { words } = this.pattern;
		const first = (offset & RING_MASK) * words;
		for (let word = 0; word < words; word++) this.sets[first + word] = 0;
	}

	/** Adds to the set of `from` what a character makes of the set of `to`, and returns how far that is. */
	private follow(from: number, to: number, code: number): number {
		this.followed++;
		const { words, allPlaces, beforeEnding } = this.pattern;
		const { sets } = this;
		const index = toTableIndex(code);
		const target = (from & RING_MASK) * words;
		const source = (to & RING_MASK) * words;
		let any = 0;
		let anyPart = 0;
		let followed = 0;
		let carry = 0;
		for (let word = words - 1; word >= 0; word--) {
			const set = sets[source + word];
			followed = set & allPlaces[index * words + word];
			const bits = (followed >>> 1) | carry | (set & NOTHING[index]);
			sets[target + word] |= bits;
			carry = followed << 31;
			any |= bits;
			anyPart |= followed & beforeEnding[word];
		}
		if ((followed & 1) !== 0) return START;
		if (anyPart !== 0) return PART;
		return any !== 0 ? PLACE : 0;
	}
}

/** How far back the search has come: within the ending, through all of it, or to the start of the secret. */
const PLACE = 1;
const PART = 2;
const START = 4;
