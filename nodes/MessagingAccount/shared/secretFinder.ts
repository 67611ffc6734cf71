import {
	beginsEncoding,
	countsAsNothing,
	isWordCharacter,
	MAX_ENCODED_LENGTH,
	readingCode,
	readingLength,
	Readings,
} from './encodings';
import { sleep } from './sleep';

export const MASK = '***';

/** Shorter secrets may occur inside other text by chance, so only whole words count as one. */
const SHORT_SECRET_LENGTH = 8;

/** How many characters are read before n8n may do something else: some milliseconds. */
export const STEP_LENGTH = 512 * 1024;

/** One more than the longest encoded character. */
const RING = MAX_ENCODED_LENGTH + 1;
const RING_MASK = RING - 1;

const NONE = -1;

/**
 * Finds secrets in texts, each character as it is or encoded, in any mixture.
 *
 * Every offset of a text has a set of the prefixes of secrets that end there: one bit for each character of the secrets. A
 * character, plain or encoded, leads from the set at its start to the set at its end (the algorithm is known as Shift-And).
 * So no text is read twice, and the time is linear in its length: 32 prefixes cost as much as one.
 */
export class SecretFinder {
	/** Numbers of 32 bits for each set. */
	readonly words: number;
	/** For each character of ASCII, the set of places in the secrets that have it. */
	readonly places: Int32Array;
	/** For each character, whether it leads anywhere: secrets contain it, or it counts as nothing. */
	readonly leads = new Uint8Array(256);
	/** For each character, whether a secret begins with it. */
	readonly begins = new Uint8Array(256);
	/** The places of all first characters, and of those that may be inside a word. */
	readonly starts: Int32Array;
	readonly startsInWord: Int32Array;
	/** The places of all last characters, likewise. */
	readonly ends: Int32Array;
	readonly endsInWord: Int32Array;
	/** Of the shortest secret. */
	readonly minLength: number;
	readonly hasWords: boolean;
	private search?: SecretSearch;

	constructor(secrets: string[]) {
		// A place between two secrets, so that none goes on as the next one.
		const places = secrets.reduce((sum, { length }) => sum + length + 1, 0);
		this.words = Math.ceil(places / 32);
		this.places = new Int32Array(256 * this.words);
		this.starts = new Int32Array(this.words);
		this.startsInWord = new Int32Array(this.words);
		this.ends = new Int32Array(this.words);
		this.endsInWord = new Int32Array(this.words);
		this.minLength = Math.min(...secrets.map(({ length }) => length));
		this.hasWords = this.minLength < SHORT_SECRET_LENGTH;
		for (let code = 0; code < 256; code++) if (countsAsNothing(code)) this.leads[code] = 1;
		let start = 0;
		for (const secret of secrets) {
			const end = start + secret.length - 1;
			addPlace(this.starts, start);
			addPlace(this.ends, end);
			if (secret.length >= SHORT_SECRET_LENGTH) {
				addPlace(this.startsInWord, start);
				addPlace(this.endsInWord, end);
			}
			for (let place = start; place <= end; place++) {
				for (const code of codesOf(secret[place - start])) {
					const first = code * this.words;
					addPlace(this.places.subarray(first, first + this.words), place);
					this.leads[code] = 1;
					if (place === start) this.begins[code] = 1;
				}
			}
			start = end + 2;
		}
	}

	/** Masks all secrets in a text. */
	mask(text: string): string {
		const { begins } = this;
		let offset = 0;
		for (; offset < text.length; offset++) {
			const code = text.charCodeAt(offset);
			if (begins[code] === 1 || beginsEncoding(code)) break;
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

function addPlace(set: Int32Array, place: number): void {
	set[place >> 5] |= 1 << (place & 31);
}

/** The characters that stand for one of a secret: host names come back in lower case, forms write a space as `+`. */
function codesOf(character: string): number[] {
	const forms = [
		character.toLowerCase(),
		character.toUpperCase(),
		...(character === ' ' ? '+' : ''),
	];
	return forms.map((form) => form.charCodeAt(0));
}

/** The search through one text. */
export class SecretSearch {
	/** How many characters were followed so far, forwards and backwards, plain and encoded. */
	followed = 0;
	private text = '';
	private offset = 0;
	private output = '';
	/** The end of what was masked last; `output` contains what is before it. */
	private maskedEnd = 0;
	/** The last offset that has a set. */
	private lastSet = -1;
	/** The sets of the offsets from `offset` on, in a ring. */
	private readonly sets: Int32Array;
	/** Which offset each of them is for; any other offset has an empty set. */
	private readonly setOffsets = new Int32Array(RING).fill(-1);
	/** Likewise, the offsets where a secret ends, whole word or not. */
	private readonly ends = new Int32Array(RING).fill(-1);
	/** Likewise, the offsets where an encoded character ends that is not part of a word. */
	private readonly wordStarts = new Int32Array(RING).fill(-1);
	/** The set after the character that is followed, and whether a secret ends there. */
	private readonly next: Int32Array;
	private nextEnds = false;
	/** The sets of the search back, in a ring. */
	private readonly setsBack: Int32Array;
	private readings?: Readings;
	private readingsBack?: Readings;

	constructor(private readonly finder: SecretFinder) {
		this.sets = new Int32Array(RING * finder.words);
		this.next = new Int32Array(finder.words);
		this.setsBack = new Int32Array(RING * finder.words);
	}

	begin(text: string): void {
		this.text = text;
		this.offset = 0;
		this.output = '';
		this.maskedEnd = 0;
		this.followed = 0;
		if (this.lastSet >= 0) {
			this.lastSet = -1;
			this.setOffsets.fill(-1);
			this.ends.fill(-1);
		}
		if (this.readings) {
			this.wordStarts.fill(-1);
			this.readings.unload();
			this.readingsBack?.unload();
		}
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
		const { text, finder } = this;
		const { begins } = finder;
		const end = Math.min(text.length, this.offset + length);
		for (let offset = this.offset; offset < end; offset++) {
			const code = text.charCodeAt(offset);
			if (offset > this.lastSet) {
				if (begins[code] !== 1 && !beginsEncoding(code)) continue;
			} else if (this.ends[offset & RING_MASK] === offset) {
				this.maskEnding(offset);
			}
			this.followAll(offset, code);
		}
		this.offset = end;
		if (end < text.length) return false;
		if (this.ends[end & RING_MASK] === end) this.maskEnding(end);
		return true;
	}

	/** Follows the characters that begin at an offset, plain and encoded. */
	private followAll(offset: number, code: number): void {
		const { leads, hasWords } = this.finder;
		let followed = NONE;
		let hasNext = false;
		if (code < 256 && leads[code] === 1) {
			hasNext = this.follow(offset, code);
			followed = code;
			if (hasNext) this.addNext(offset + 1);
		}
		if (!beginsEncoding(code)) return;
		this.readings ??= new Readings();
		const { readings } = this;
		if (!readings.contains(offset)) readings.loadFrom(this.text, offset);
		let last = readings.at(offset, 0);
		for (let nesting = 1; nesting <= readings.nesting; nesting++) {
			const reading = readings.at(offset, nesting);
			if (reading === last) continue;
			last = reading;
			const end = offset + readingLength(reading);
			const encoded = readingCode(reading);
			if (leads[encoded] === 1) {
				if (encoded !== followed) hasNext = this.follow(offset, encoded);
				followed = encoded;
				if (hasNext) this.addNext(end);
			}
			if (hasWords && !isWordCharacter(encoded)) this.wordStarts[end & RING_MASK] = end;
		}
	}

	/**
	 * Sets `next` to what a character makes of the set where it begins.
	 *
	 * @returns whether that has any prefix
	 */
	private follow(offset: number, code: number): boolean {
		const { finder, sets, next } = this;
		const slot = offset & RING_MASK;
		const hasSet = this.setOffsets[slot] === offset;
		if (!hasSet && finder.begins[code] === 0) return false;
		this.followed++;
		const { words, places, ends } = finder;
		const starts =
			finder.hasWords && !this.isWordStart(offset) ? finder.startsInWord : finder.starts;
		const kept = countsAsNothing(code) ? -1 : 0;
		let any = 0;
		let anyEnd = 0;
		let carry = 0;
		for (let word = 0; word < words; word++) {
			const set = hasSet ? sets[slot * words + word] : 0;
			const bits =
				(((set << 1) | carry | starts[word]) & places[code * words + word]) |
				(set & ~ends[word] & kept);
			carry = set >>> 31;
			next[word] = bits;
			any |= bits;
			anyEnd |= bits & ends[word];
		}
		this.nextEnds = anyEnd !== 0;
		return any !== 0;
	}

	/** Adds `next` to the set of an offset. */
	private addNext(offset: number): void {
		const { sets, setOffsets, next } = this;
		const slot = offset & RING_MASK;
		const first = slot * next.length;
		if (setOffsets[slot] === offset) {
			for (let word = 0; word < next.length; word++) sets[first + word] |= next[word];
		} else {
			setOffsets[slot] = offset;
			for (let word = 0; word < next.length; word++) sets[first + word] = next[word];
			if (offset > this.lastSet) this.lastSet = offset;
		}
		if (this.nextEnds) this.ends[slot] = offset;
	}

	private isWordStart(offset: number): boolean {
		return (
			offset === 0 ||
			!isWordCharacter(this.text.charCodeAt(offset - 1)) ||
			this.wordStarts[offset & RING_MASK] === offset
		);
	}

	/** Masks the secrets that end at an offset. */
	private maskEnding(offset: number): void {
		const { words, ends, endsInWord } = this.finder;
		const { text, sets, setsBack } = this;
		const isWordEnd = offset === text.length || !isWordCharacter(text.charCodeAt(offset));
		const allowed = isWordEnd ? ends : endsInWord;
		const first = (offset & RING_MASK) * words;
		let any = 0;
		for (let word = 0; word < words; word++) {
			const found = sets[first + word] & allowed[word];
			setsBack[first + word] = found;
			any |= found;
		}
		if (any === 0) return;
		const start = this.findStart(offset);
		if (start !== undefined) this.output += text.slice(this.maskedEnd, start) + MASK;
		this.maskedEnd = offset;
	}

	/**
	 * Searches back for the start of a secret, but not into what is masked already: so nothing is searched twice, however
	 * many secrets overlap.
	 *
	 * @param end the offset for which `setsBack` is set
	 * @returns undefined if the secret starts in what is masked already
	 */
	private findStart(end: number): number | undefined {
		const { words, leads, minLength } = this.finder;
		if (end - this.maskedEnd < minLength) return undefined;
		for (let offset = end - 1; offset >= this.maskedEnd; offset--) {
			const first = (offset & RING_MASK) * words;
			for (let word = 0; word < words; word++) this.setsBack[first + word] = 0;
			const code = this.text.charCodeAt(offset);
			if (code < 256 && leads[code] === 1 && this.followBack(offset, offset + 1, code)) {
				return offset;
			}
			if (!beginsEncoding(code)) continue;
			const readings = this.readingsAt(offset);
			for (let nesting = 1; nesting <= readings.nesting; nesting++) {
				const reading = readings.at(offset, nesting);
				const to = offset + readingLength(reading);
				const encoded = readingCode(reading);
				if (to > end || leads[encoded] === 0) continue;
				if (this.followBack(offset, to, encoded)) return offset;
			}
		}
		return undefined;
	}

	/** Returns whether a secret starts with the character. */
	private followBack(from: number, to: number, code: number): boolean {
		this.followed++;
		const { words, places, starts } = this.finder;
		const { setsBack } = this;
		const kept = countsAsNothing(code) ? -1 : 0;
		const target = (from & RING_MASK) * words;
		const source = (to & RING_MASK) * words;
		let anyStart = 0;
		let carry = 0;
		for (let word = words - 1; word >= 0; word--) {
			const set = setsBack[source + word];
			const followed = set & places[code * words + word];
			setsBack[target + word] |= (followed >>> 1) | carry | (set & kept);
			carry = followed << 31;
			anyStart |= followed & starts[word];
		}
		return anyStart !== 0;
	}

	private readingsAt(offset: number): Readings {
		if (this.readings?.contains(offset)) return this.readings;
		this.readingsBack ??= new Readings();
		if (!this.readingsBack.contains(offset)) this.readingsBack.loadUpTo(this.text, offset);
		return this.readingsBack;
	}
}
