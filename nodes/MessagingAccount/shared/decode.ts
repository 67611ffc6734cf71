/** Three encodings one inside another, and one more for what looks encoded in a secret itself. */
const MAX_DECODINGS = 4;

/** In place of characters: one that no secret contains, and one that counts as nothing. */
const OTHER = 0x7f;
const NOTHING = 0x80;

/** Characters as they are compared: in lower case, and plus signs as the spaces that forms write so. */
const COMPARED = Uint8Array.from({ length: 256 }, (_, code) => {
	if (code < 0x20 || code >= 0x7f) return code < 0xa0 ? NOTHING : OTHER;
	return String.fromCharCode(code).toLowerCase().replace('+', ' ').charCodeAt(0);
});

/** A tree of all encoded characters: what the ones so far stand for, and which can come next. */
type Node = { code?: number; next: Array<Node | undefined> };
const ROOT: Node = { next: [] };

function nodeOf(encoded: string): Node {
	return Buffer.from(encoded).reduce((node, code) => (node.next[code] ??= { next: [] }), ROOT);
}

for (const entity of 'amp& lt< gt> quot" apos\' plus+ equals= sol/ colon: num#'.split(' ')) {
	nodeOf(`&${entity.slice(0, -1)};`).code = COMPARED[entity.charCodeAt(entity.length - 1)];
}
for (const end of ['', ...'bfnrt']) nodeOf(`\\${end}`).code = NOTHING;
for (const end of '"\'/\\') nodeOf(`\\${end}`).code = end.charCodeAt(0);
for (const node of [nodeOf('&#'), nodeOf('&#x')]) node.next[0x30] = node;
for (const [code, compared] of COMPARED.entries()) {
	const hex = code.toString(16).padStart(2, '0');
	for (const encoded of [`%${hex}`, `\\x${hex}`, `\\u00${hex}`, `&#x${hex};`, `&#${code};`]) {
		nodeOf(encoded).code = compared;
	}
}

/** Yields a text to compare, decoded 0 to 4 times, with where each of its characters starts and ends in the original. */
export function* decode(original: string) {
	let { length } = original;
	const codes = Buffer.allocUnsafe(length + 1);
	const starts = new Int32Array(length);
	const ends = new Int32Array(length);
	for (let at = 0; at < length; at++) {
		const code = original.charCodeAt(at);
		codes[at] = COMPARED[code < 0xff ? code : 0xff];
		starts[at] = at;
		ends[at] = at + 1;
	}
	for (let count = 0, read = -1; count <= MAX_DECODINGS && length !== read; count++) {
		yield { text: codes.toString('latin1', 0, length), starts, ends };
		codes[length] = OTHER;
		read = length;
		length = 0;
		for (let at = 0, next = 1; at < read; at = next++) {
			let code = codes[at];
			for (let node = ROOT.next[code], end = at + 1; node; node = node.next[codes[end++]]) {
				if (node.code !== undefined) [code, next] = [node.code, end];
			}
			if (code === NOTHING) continue;
			codes[length] = code;
			starts[length] = starts[at];
			ends[length++] = ends[next - 1];
		}
	}
}
