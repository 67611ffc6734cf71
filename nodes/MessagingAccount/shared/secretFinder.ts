import {
	beginsEncoding,
	isWordCharacter,
	readingCode,
	readingLength,
	Readings,
	RING,
	RING_MASK,
} from './encodings';
import { NOTHING, SecretPattern, TABLE_LENGTH, toTableIndex } from './secretPattern';
import { MASKED, SecretStart } from './secretStart';
import { sleep } from './sleep';

export const MASK = '***';

/** How many characters are read before n8n may do something else: some milliseconds. */
export const STEP_LENGTH = 512 * 1024;

/**
 * Finds one or two secrets in texts, each character as it is or encoded, in any mixture.
 *
 * Every offset of a text has a set of the beginnings of a secret that end there: one bit for each character of the secret. A
 * character, plain or encoded, leads from the set at its start to the set at its end (the algorithm is known as Shift-And).
 * So no text is read twice, and the time is linear in its length. Of a long secret, only the last characters are searched for:
 * a set is one number.
 */
export class SecretFinder {
	/** The two secrets; the second one may be empty. */
	readonly a: SecretPattern;
	readonly b: SecretPattern;
	/** For each character, whether something may begin with it: a secret, or an encoded character. */
	readonly begins = new Uint8Array(TABLE_LENGTH);
	readonly hasWords: boolean;
	private search?: SecretSearch;

	constructor([first, second = '']: string[]) {
		this.a = new SecretPattern(first);
		this.b = new SecretPattern(second);
		this.hasWords = this.a.isWord || this.b.isWord;
		for (let code = 0; code < TABLE_LENGTH; code++) {
			const isStart = (this.a.places[code] & this.a.start) | (this.b.places[code] & this.b.start);
			if (isStart !== 0 || beginsEncoding(code)) this.begins[code] = 1;
		}
	}

	/** Masks all secrets in a text. */
	mask(text: string): string {
		const { begins } = this;
		let offset = 0;
		for (; offset < text.length; offset++) {
			if (begins[toTableIndex(text.charCodeAt(offset))] === 1) break;
		}
		if (offset === text.length) return text;
		this.search ??= new SecretSearch(this);
		this.search.begin(text);
		this.search.advance(text.length);
		return this.search.masked;
	}

	/** Masks all secrets in a text, and lets n8n do something else meanwhile. */
	async maskInSteps(text: string): Promise<string> {
		// Its own search, because another text may be masked meanwhile.
		const search = new SecretSearch(this);
		search.begin(text);
		while (!search.advance(STEP_LENGTH)) await sleep(0);
		return search.masked;
	}
}

/** The search through one text. */
export class SecretSearch {
	/** How many characters were followed so far, forwards, plain and encoded. */
	private followedForwards = 0;
	private text = '';
	private offset = 0;
	private output = '';
	/** The end of what was masked last; `output` contains what is before it. */
	private maskedEnd = 0;
	/** The sets of `offset`, of each secret. */
	private setA = 0;
	private setB = 0;
	/** What encoded characters add to the sets of the offsets after them, in rings. */
	private readonly addedA = new Int32Array(RING);
	private readonly addedB = new Int32Array(RING);
	/** Which offset each of them is for; nothing is added to any other. */
	private readonly addedOffsets = new Int32Array(RING).fill(-1);
	/** The last of them. */
	private lastAdded = -1;
	/** Likewise, the offsets where an encoded character ends that is not part of a word. */
	private readonly wordStarts = new Int32Array(RING).fill(-1);
	private readonly startA: SecretStart;
	private readonly startB: SecretStart;
	private readings?: Readings;
	private readingsBack?: Readings;

	constructor(private readonly finder: SecretFinder) {
		this.startA = new SecretStart(finder.a);
		this.startB = new SecretStart(finder.b);
	}

	begin(text: string): void {
		this.text = text;
		this.offset = 0;
		this.output = '';
		this.maskedEnd = 0;
		this.setA = 0;
		this.setB = 0;
		if (this.readings) {
			this.lastAdded = -1;
			this.addedOffsets.fill(-1);
			this.wordStarts.fill(-1);
			this.readings.unload();
			this.readingsBack?.unload();
		}
	}

	/** How many characters were followed so far, forwards and back, plain and encoded. */
	get followed(): number {
		return this.followedForwards + this.startA.followed + this.startB.followed;
	}

	/** The text so far, with `***` for each secret. */
	get masked(): string {
		return this.maskedEnd === 0 ? this.text : this.output + this.text.slice(this.maskedEnd);
	}

	/**
	 * Searches on.
	 *
	 * @returns whether the text is at its end
	 */
	advance(length: number): boolean {
		const { text, finder, addedA, addedB, addedOffsets } = this;
		const { a, b, begins, hasWords } = finder;
		const end = Math.min(text.length, this.offset + length);
		let { setA, setB } = this;
		let followed = 0;
		for (let offset = this.offset; ; offset++) {
			if (offset <= this.lastAdded && addedOffsets[offset & RING_MASK] === offset) {
				setA |= addedA[offset & RING_MASK];
				setB |= addedB[offset & RING_MASK];
			}
			if (offset === end) break;
			const code = text.charCodeAt(offset);
			const index = toTableIndex(code);
			if ((setA | setB) === 0) {
				if (begins[index] === 0) continue;
			} else if (((setA & a.end) | (setB & b.end)) !== 0) {
				this.maskEnding(offset, setA, setB);
			}
			followed++;
			const isAnyStart = !hasWords || this.isWordStart(offset);
			const prefixesA = (setA << 1) | (isAnyStart ? a.start : a.startInWord);
			const prefixesB = (setB << 1) | (isAnyStart ? b.start : b.startInWord);
			const unendedA = setA & a.notEnd;
			const unendedB = setB & b.notEnd;
			if (beginsEncoding(code)) {
				this.followEncoded(offset, prefixesA, prefixesB, unendedA, unendedB);
			}
			setA = (prefixesA & a.places[index]) | (unendedA & NOTHING[index]);
			setB = (prefixesB & b.places[index]) | (unendedB & NOTHING[index]);
		}
		this.followedForwards += followed;
		this.offset = end;
		this.setA = setA;
		this.setB = setB;
		if (end < text.length) return false;
		this.maskEnding(end, setA, setB);
		return true;
	}

	/** Follows the encoded characters that begin at an offset. */
	private followEncoded(
		offset: number,
		prefixesA: number,
		prefixesB: number,
		unendedA: number,
		unendedB: number,
	): void {
		const { a, b, hasWords } = this.finder;
		this.readings ??= new Readings();
		const { readings } = this;
		if (!readings.contains(offset)) readings.loadFrom(this.text, offset);
		let last = readings.at(offset, 0);
		for (let nesting = 1; nesting <= readings.nesting; nesting++) {
			const reading = readings.at(offset, nesting);
			if (reading === last) continue;
			last = reading;
			this.followedForwards++;
			const code = readingCode(reading);
			const end = offset + readingLength(reading);
			const setA = (prefixesA & a.places[code]) | (unendedA & NOTHING[code]);
			const setB = (prefixesB & b.places[code]) | (unendedB & NOTHING[code]);
			if ((setA | setB) !== 0) this.add(end, setA, setB);
			if (hasWords && !isWordCharacter(code)) this.wordStarts[end & RING_MASK] = end;
		}
	}

	private add(offset: number, setA: number, setB: number): void {
		const slot = offset & RING_MASK;
		if (this.addedOffsets[slot] === offset) {
			this.addedA[slot] |= setA;
			this.addedB[slot] |= setB;
			return;
		}
		this.addedOffsets[slot] = offset;
		this.addedA[slot] = setA;
		this.addedB[slot] = setB;
		if (offset > this.lastAdded) this.lastAdded = offset;
	}

	private isWordStart(offset: number): boolean {
		return (
			offset === 0 ||
			!isWordCharacter(this.text.charCodeAt(offset - 1)) ||
			this.wordStarts[offset & RING_MASK] === offset
		);
	}

	/** Masks the secrets that end at an offset. */
	private maskEnding(offset: number, setA: number, setB: number): void {
		const { a, b } = this.finder;
		const { text } = this;
		const isWordEnd = offset === text.length || !isWordCharacter(text.charCodeAt(offset));
		const endsA = (setA & a.end) !== 0 && (isWordEnd || !a.isWord);
		const endsB = (setB & b.end) !== 0 && (isWordEnd || !b.isWord);
		if (!endsA && !endsB) return;
		const start = Math.min(
			endsA ? this.startA.find(text, offset, this.maskedEnd, this.readingsAt) : offset,
			endsB ? this.startB.find(text, offset, this.maskedEnd, this.readingsAt) : offset,
		);
		if (start !== MASKED) this.output += text.slice(this.maskedEnd, start) + MASK;
		this.maskedEnd = offset;
	}

	private readonly readingsAt = (offset: number): Readings => {
		if (this.readings?.contains(offset)) return this.readings;
		this.readingsBack ??= new Readings();
		if (!this.readingsBack.contains(offset)) this.readingsBack.loadUpTo(this.text, offset);
		return this.readingsBack;
	};
}
