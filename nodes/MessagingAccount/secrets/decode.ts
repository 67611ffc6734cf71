/** Three nested encodings, and one more for a secret that itself looks encoded. */
const MAX_DECODINGS = 4;

/** A text for comparison, with the start and end of each of its characters in the original. */
export interface Decoded {
	text: string;
	starts: Int32Array;
	ends: Int32Array;
}

/**
 * Yields a text in lower case as it is, and after each of up to 4 decodings: no secret may hide in what a service or a proxy encodes. Which
 * encodings count is in SECURITY.md. The time is in proportion to the length.
 * @example decode('A%2541') // the texts 'a%2541', 'a%41' and 'aa'; the last 'a' starts at 1 and ends at 6
 */
export function* decode(original: string): Generator<Decoded> {
	const starts = new Int32Array(original.length);
	for (let at = 0; at < original.length; at++) starts[at] = at;
	let decoded: Decoded = { text: toComparable(original), starts, ends: starts.map((at) => at + 1) };
	yield decoded;
	for (let count = 1; count <= MAX_DECODINGS; count++) {
		const { length } = decoded.text;
		decoded = decodeOnce(decoded);
		if (decoded.text.length === length) return;
		yield decoded;
	}
}

/** Returns a text as it is compared, with all its characters: in lower case, a plus sign as a space, what is not ASCII as DEL. */
function toComparable(text: string): string {
	const ascii = text.replace(/\p{Cc}/gu, '\0').replace(/[^\0-~]/g, '\x7f');
	return ascii.toLowerCase().replaceAll('+', ' ');
}

/** What stands for a character in URLs, JSON, JavaScript and HTML, or for none: a control character, e.g. `\n`, and a lone backslash. */
const ENCODED = /(?:%|\\x|\\u00)[\da-f]{2}|&#(?:x[\da-f]+|\d+);|&[a-z]+;|\\["'/\\bfnrt]?|\0/g;

function decodeOnce({ text, starts, ends }: Decoded): Decoded {
	const places = { starts: new Int32Array(text.length), ends: new Int32Array(text.length) };
	let readTo = 0;
	let writtenTo = 0;
	const copyPlaces = (end: number) => {
		for (; readTo < end; readTo++, writtenTo++) {
			places.starts[writtenTo] = starts[readTo];
			places.ends[writtenTo] = ends[readTo];
		}
	};
	const decoded = text.replace(ENCODED, (encoded, at: number) => {
		const character = toCharacter(encoded);
		if (character === undefined) return encoded;
		copyPlaces(at);
		readTo += encoded.length;
		places.starts[writtenTo] = starts[at];
		places.ends[writtenTo] = ends[readTo - 1];
		writtenTo += character.length;
		return character;
	});
	copyPlaces(text.length);
	return { text: decoded, ...places };
}

/** Returns what an `ENCODED` stands for, maybe nothing; undefined if it only looks encoded, e.g. "&unknown;". */
function toCharacter(encoded: string): string | undefined {
	if (encoded.startsWith('&#')) return CHARACTERS[Number(`0${encoded.slice(2, -1)}`)];
	if (encoded.startsWith('&')) return NAMED.get(encoded);
	if (encoded.length > 2) return CHARACTERS[Number(`0x${encoded.slice(-2)}`)];
	return /^\\["'/\\]/.test(encoded) ? encoded[1] : '';
}

/** The characters by their codes, control characters as nothing. */
const CHARACTERS = Array.from({ length: 256 }, (_, code) =>
	toComparable(String.fromCharCode(code)).replace('\0', ''),
);

/** HTML's names of characters, each in front of its character. */
const NAMED = new Map(
	'amp& lt< gt> quot" apos\' plus+ equals= sol/ colon: num#'
		.split(' ')
		.map((pair) => [`&${pair.slice(0, -1)};`, toComparable(pair.slice(-1))]),
);
