import { countsAsNothing } from './encodings';

/** Shorter secrets may occur inside other text by chance, so only whole words count as one. */
const SHORT_SECRET_LENGTH = 8;

/** One bit for each character, and no sign. */
const MAX_ENDING_LENGTH = 31;

/** Tables by character have an entry for each that a secret may contain, and one for all others. */
const OTHER = 256;
export const TABLE_LENGTH = OTHER + 1;
export const toTableIndex = (code: number) => (code < OTHER ? code : OTHER);

/** For each character, all bits if it counts as nothing. */
export const NOTHING = Int32Array.from({ length: TABLE_LENGTH }, (_, code) =>
	code < OTHER && countsAsNothing(code) ? -1 : 0,
);

/**
 * A secret, as sets of places: one bit for each of its characters.
 *
 * Forwards, only its ending is searched for, because that fits into one number. Back, all of it.
 */
export class SecretPattern {
	readonly length: number;
	readonly endingLength: number;
	/** Whether it only counts as a whole word. */
	readonly isWord: boolean;
	/** Of the ending, for each character the places that have it. */
	readonly places = new Int32Array(TABLE_LENGTH);
	/** The first place of the ending, and the same unless it must be the beginning of a word. */
	readonly start: number;
	readonly startInWord: number;
	/** Its last place, and all others. */
	readonly end: number;
	readonly notEnd: number;
	/** Of all of it: numbers of 32 bits for each set. */
	readonly words: number;
	/** For each character the places that have it. */
	readonly allPlaces: Int32Array;
	/** The places up to the first of the ending. */
	readonly beforeEnding: Int32Array;
	private readonly lowerCase: string;

	/** @param secret if empty, it is found nowhere */
	constructor(secret: string) {
		this.length = secret.length;
		this.endingLength = Math.min(secret.length, MAX_ENDING_LENGTH);
		this.isWord = secret !== '' && secret.length < SHORT_SECRET_LENGTH;
		this.lowerCase = secret.toLowerCase();
		this.start = secret === '' ? 0 : 1;
		this.startInWord = this.isWord ? 0 : this.start;
		this.end = this.start << (this.endingLength - 1);
		this.notEnd = ~this.end;
		this.words = Math.ceil(secret.length / 32);
		this.allPlaces = new Int32Array(TABLE_LENGTH * this.words);
		this.beforeEnding = new Int32Array(this.words);
		const endingStart = secret.length - this.endingLength;
		for (let place = 0; place < secret.length; place++) {
			const bit = 1 << (place & 31);
			if (place <= endingStart) this.beforeEnding[place >> 5] |= bit;
			for (const code of codesOf(secret[place])) {
				this.allPlaces[code * this.words + (place >> 5)] |= bit;
				if (place >= endingStart) this.places[code] |= 1 << (place - endingStart);
			}
		}
	}

	/** Whether a text that is not encoded ends with the secret at an offset. */
	isPlainBefore(text: string, end: number): boolean {
		return (
			end >= this.length && text.slice(end - this.length, end).toLowerCase() === this.lowerCase
		);
	}
}

/** The characters that stand for one of a secret: host names come back in lower case, forms write a space as `+`. */
function codesOf(character: string): number[] {
	const forms = [
		character.toLowerCase(),
		character.toUpperCase(),
		...(character === ' ' ? '+' : ''),
	];
	return forms.map((form) => form.charCodeAt(0)).filter((code) => code < OTHER);
}
