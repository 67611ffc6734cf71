/** Three nested encodings, and one more for a secret that itself looks encoded. */
const MAX_DECODINGS = 4;

/** Stand-ins for characters: one that no secret contains, and one that is left out. */
const OTHER = 0x7f;
const NOTHING = 0x80;

/** Characters as they are compared: in lower case, with a plus sign as a space, as in form data. */
const COMPARED = Uint8Array.from({ length: 256 }, (_, code) => {
	if (code < 0x20 || code >= 0x7f) return code < 0xa0 ? NOTHING : OTHER;
	return String.fromCharCode(code).toLowerCase().replace('+', ' ').charCodeAt(0);
});

/** A node in the tree of all encoded characters: the character that its path stands for, and the nodes that can follow. */
type Node = { code?: number; next: Array<Node | undefined> };
const ROOT: Node = { next: [] };

function nodeOf(encoded: string): Node {
	return Buffer.from(encoded).reduce((node, code) => (node.next[code] ??= { next: [] }), ROOT);
}

for (const entity of 'amp& lt< gt> quot" apos\' plus+ equals= sol/ colon: num#'.split(' '))
	nodeOf(`&${entity.slice(0, -1)};`).code = COMPARED[entity.charCodeAt(entity.length - 1)];
for (const end of ['', ...'bfnrt']) nodeOf(`\\${end}`).code = NOTHING;
for (const end of '"\'/\\') nodeOf(`\\${end}`).code = end.charCodeAt(0);
for (const node of [nodeOf('&#'), nodeOf('&#x')]) node.next[0x30] = node;
for (const [code, compared] of COMPARED.entries()) {
	const hex = code.toString(16).padStart(2, '0');
	for (const encoded of [`%${hex}`, `\\x${hex}`, `\\u00${hex}`, `&#x${hex};`, `&#${code};`])
		nodeOf(encoded).code = compared;
}

/** Yields a text for comparison after each of up to 4 decodings, with the start and end of each character in the original. */
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
			for (let node = ROOT.next[code], end = at + 1; node; node = node.next[codes[end++]])
				if (node.code !== undefined) [code, next] = [node.code, end];
			if (code === NOTHING) continue;
			codes[length] = code;
			starts[length] = starts[at];
			ends[length++] = ends[next - 1];
		}
	}
}
