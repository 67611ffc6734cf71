/** How many encodings count one inside another, e.g. JSON in a URL in HTML. */
export const MAX_NESTING = 3;

/** In characters of the text. A longer way to write one character does not count. */
export const MAX_ENCODED_LENGTH = 255;

/** For rings that have something for each offset that an encoded character can reach. */
export const RING = MAX_ENCODED_LENGTH + 1;
export const RING_MASK = RING - 1;

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const AMPERSAND = 0x26;

/** Whether an encoded character may begin with this one. */
export function beginsEncoding(code: number): boolean {
	return code === BACKSLASH || code === PERCENT || code === AMPERSAND;
}

/**
 * Whether a character counts as nothing inside a secret: control characters, which hide a secret from a search but not from
 * a reader, and backslashes, which any number of escapings put before a character.
 */
export function countsAsNothing(code: number): boolean {
	return code === BACKSLASH || code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/** HTML's names for the characters of ASCII. */
const ENTITY_NAMES: Record<string, string[]> = {
	'!': ['excl'],
	'"': ['quot'],
	'#': ['num'],
	$: ['dollar'],
	'%': ['percnt'],
	'&': ['amp'],
	"'": ['apos'],
	'(': ['lpar'],
	')': ['rpar'],
	'*': ['ast', 'midast'],
	'+': ['plus'],
	',': ['comma'],
	'.': ['period'],
	'/': ['sol'],
	':': ['colon'],
	';': ['semi'],
	'<': ['lt'],
	'=': ['equals'],
	'>': ['gt'],
	'?': ['quest'],
	'@': ['commat'],
	'[': ['lsqb', 'lbrack'],
	'\\': ['bsol'],
	']': ['rsqb', 'rbrack'],
	'^': ['hat'],
	_: ['lowbar', 'underbar'],
	'`': ['grave', 'diacriticalgrave'],
	'{': ['lcub', 'lbrace'],
	'|': ['verbar', 'vert', 'verticalline'],
	'}': ['rcub', 'rbrace'],
};

/** A node is 32 numbers: for each letter the next node, and first the character if the name may end here. */
const ENTITY_TREE = createEntityTree();

function createEntityTree(): Uint16Array {
	const tree = Array<number>(32).fill(0);
	for (const [character, names] of Object.entries(ENTITY_NAMES)) {
		for (const name of names) {
			let node = 0;
			for (const letter of name) {
				const branch = node + (letter.charCodeAt(0) & 31);
				if (tree[branch] === 0) {
					tree[branch] = tree.length;
					tree.push(...Array<number>(32).fill(0));
				}
				node = tree[branch];
			}
			tree[node] = character.charCodeAt(0);
		}
	}
	return Uint16Array.from(tree);
}

/** What is not ASCII; no secret contains it. */
const OTHER = 0xff;

/**
 * One way to read a text at an offset: the character it stands for, and how many characters of the text it takes.
 * Packed into a number, because there is one for each offset and nesting. 0 is none.
 */
export type Reading = number;
export const readingCode = (reading: Reading) => reading >> 8;
export const readingLength = (reading: Reading) => reading & 0xff;

function createReading(code: number, length: number): Reading {
	return code < 0x80 && length <= MAX_ENCODED_LENGTH ? (code << 8) | length : 0;
}

const WINDOW = 4096;
/** Beyond the window, because an encoded character may extend so far. */
const LOOKAHEAD = MAX_ENCODED_LENGTH + 1;

/**
 * Reads each offset of a text with 0 to `MAX_NESTING` encodings, a window at a time. Each nesting is one pass over the
 * one before it, so the time is linear, whatever the text contains.
 */
export class Readings {
	/** The window that is loaded. */
	start = 0;
	end = 0;
	/** More encodings than these read nothing else in the window. */
	nesting = 0;
	private readonly levels = Array.from(
		{ length: MAX_NESTING + 1 },
		(_, level) => new Uint16Array(WINDOW + (MAX_NESTING + 1 - level) * LOOKAHEAD),
	);

	/** Loads a window that begins with `offset`. */
	loadFrom(text: string, offset: number): void {
		this.load(text, offset, Math.min(text.length, offset + WINDOW));
	}

	/** Loads a window that ends with `offset`. */
	loadUpTo(text: string, offset: number): void {
		this.load(text, Math.max(0, offset + 1 - WINDOW), offset + 1);
	}

	contains(offset: number): boolean {
		return offset >= this.start && offset < this.end;
	}

	at(offset: number, nesting: number): Reading {
		return this.levels[nesting][offset - this.start];
	}

	unload(): void {
		this.end = 0;
	}

	private load(text: string, start: number, end: number): void {
		this.start = start;
		this.end = end;
		const available = text.length - start;
		const [plain, ...nested] = this.levels;
		// One more than there are, so that nothing left from another window follows the end of the text.
		const length = Math.min(available + 1, end - start + (MAX_NESTING + 1) * LOOKAHEAD);
		for (let i = 0; i < length; i++) {
			const code = i < available ? text.charCodeAt(start + i) : OTHER;
			plain[i] = ((code < 0x80 ? code : OTHER) << 8) | 1;
		}
		let inner = plain;
		this.nesting = 0;
		for (const outer of nested) {
			const beyond = (MAX_NESTING - this.nesting) * LOOKAHEAD;
			if (!decodeAll(inner, outer, Math.min(available + 1, end - start + beyond))) break;
			this.nesting++;
			inner = outer;
		}
	}
}

/** Returns whether any reading has changed. */
function decodeAll(inner: Uint16Array, outer: Uint16Array, length: number): boolean {
	let hasChanged = false;
	// Backwards, because a backslash before an escape is read as that escape.
	for (let i = length - 1; i >= 0; i--) {
		const first = inner[i];
		const code = first >> 8;
		outer[i] = first;
		if (code !== BACKSLASH && code !== PERCENT && code !== AMPERSAND) continue;
		const at = i + (first & 0xff);
		const kind = SECOND_CHARACTERS[inner[at] >> 8];
		let decoded = 0;
		if (code === BACKSLASH) {
			if ((kind & ESCAPE) !== 0) decoded = decodeEscape(inner, i, at);
			else if ((kind & ANOTHER) !== 0 && at < length && outer[at] !== inner[at]) {
				decoded = createReading(readingCode(outer[at]), at - i + readingLength(outer[at]));
			}
		} else if (code === PERCENT) {
			if ((kind & DIGIT) !== 0) decoded = decodeDigits(inner, i, at, 16, 2, 2);
		} else if ((kind & ENTITY) !== 0) {
			decoded = decodeEntity(inner, i, at);
		}
		if (decoded === 0) continue;
		outer[i] = decoded;
		hasChanged = true;
	}
	return hasChanged;
}

/**
 * What can come second: after a percent sign, after an ampersand, with a meaning of its own after a backslash, and another
 * backslash.
 */
const DIGIT = 1;
const ENTITY = 2;
const ESCAPE = 4;
const ANOTHER = 8;
const SECOND_CHARACTERS = new Uint8Array(256);
for (let code = 0; code < 256; code++) {
	const character = String.fromCharCode(code);
	if (/[\da-f]/i.test(character)) SECOND_CHARACTERS[code] |= DIGIT;
	if (/[a-z#]/i.test(character)) SECOND_CHARACTERS[code] |= ENTITY;
	if (/[bfnrtux]/.test(character)) SECOND_CHARACTERS[code] |= ESCAPE;
	if (code === BACKSLASH) SECOND_CHARACTERS[code] |= ANOTHER;
}

/** Reads a backslash and one of the characters with a meaning of its own. */
function decodeEscape(inner: Uint16Array, start: number, at: number): Reading {
	const code = readingCode(inner[at]);
	const next = at + readingLength(inner[at]);
	const digits = code === 0x75 ? 4 : code === 0x78 ? 2 : 0;
	if (digits > 0) return decodeDigits(inner, start, next, 16, digits, digits);
	return createReading(LINE_FEED, next - start);
}

const LINE_FEED = 0x0a;
const NUMBER_SIGN = 0x23;
const SEMICOLON = 0x3b;

function decodeEntity(inner: Uint16Array, start: number, at: number): Reading {
	if (readingCode(inner[at]) === NUMBER_SIGN) {
		const next = at + readingLength(inner[at]);
		const isHex = (readingCode(inner[next]) | 0x20) === 0x78;
		return isHex
			? decodeDigits(inner, start, next + readingLength(inner[next]), 16, 1, 8, SEMICOLON)
			: decodeDigits(inner, start, next, 10, 1, 8, SEMICOLON);
	}
	let node = 0;
	let offset = at;
	while (isLetter(readingCode(inner[offset]))) {
		node = ENTITY_TREE[node + (readingCode(inner[offset]) & 31)];
		if (node === 0) return 0;
		offset += readingLength(inner[offset]);
	}
	if (ENTITY_TREE[node] === 0 || readingCode(inner[offset]) !== SEMICOLON) return 0;
	return createReading(ENTITY_TREE[node], offset + readingLength(inner[offset]) - start);
}

/** Reads a number of `min` to `max` digits and, if there must be one, the character after it. */
function decodeDigits(
	inner: Uint16Array,
	start: number,
	at: number,
	radix: 10 | 16,
	min: number,
	max: number,
	end = 0,
): Reading {
	let value = 0;
	let offset = at;
	let count = 0;
	for (; count < max; count++) {
		const digit = DIGITS[readingCode(inner[offset])];
		if (digit >= radix) break;
		value = value * radix + digit;
		offset += readingLength(inner[offset]);
	}
	if (count < min) return 0;
	if (end !== 0) {
		if (readingCode(inner[offset]) !== end) return 0;
		offset += readingLength(inner[offset]);
	}
	return createReading(value, offset - start);
}

/** The value of each hexadecimal digit; others are 16. */
const DIGITS = new Uint8Array(256).fill(16);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
	DIGITS[digit.charCodeAt(0)] = value;
	DIGITS[digit.toUpperCase().charCodeAt(0)] = value;
}

function isLetter(code: number): boolean {
	const letter = code | 0x20;
	return letter >= 0x61 && letter <= 0x7a;
}

/** Whether a character is part of a word, for secrets that only count as whole words. */
export function isWordCharacter(code: number): boolean {
	return isLetter(code) || (code >= 0x30 && code <= 0x39);
}
