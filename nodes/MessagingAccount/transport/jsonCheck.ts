import { ASK_OPERATOR, unusableResponseError } from '../errors/httpError';

/** The limits of JSON: more would take n8n too much time or memory, however few bytes it has. `readBody` limits the values of all of it. */
const MAX_ENTRIES = 250_000;
// More names take V8 long to list, but not numbers that count up: bytes inside a message, `{"0":255,"1":216,…}`. A message in a group can
// have a field for each member, of whom there may be some thousands.
const MAX_OBJECT_FIELDS = 5_000;
/** A depth that is safe for all code that walks through n8n's items. */
const MAX_LEVELS = 100;

export const tooLarge = (what: string) =>
	unusableResponseError(what, {
		message: "The service's response is too large",
		advice: `${ASK_OPERATOR} For messages, 'Query Parameters' may shorten the list.`,
	});

const [QUOTE, BACKSLASH, COMMA, LIST, LIST_END, OBJECT, OBJECT_END] = Buffer.from('"\\,[]{}');

/** Counts the values of JSON that comes in parts, and refuses too much: to parse it is one step, which blocks n8n. */
export class JsonCheck {
	values = 0;
	/** The lists and objects that have not ended, with the number of their entries or fields so far, and of the names that count. */
	private readonly open: Array<{ isList: boolean; entries: number; names: number }> = [];
	private firstCharacter?: string;
	private isText = false;
	private isEscaped = false;
	private isNextTextName = false;

	read(part: string): void {
		this.firstCharacter ??= /\S/.exec(part)?.[0];
		if (this.firstCharacter !== '[' && this.firstCharacter !== '{') return;
		for (let i = 0; i < part.length; i++) {
			const char = part.charCodeAt(i);
			if (this.isEscaped) this.isEscaped = false;
			else if (char === BACKSLASH) this.isEscaped = this.isText;
			else if (char === QUOTE) {
				this.isText = !this.isText;
				if (this.isNextTextName) this.countName(part, i + 1);
				this.isNextTextName = false;
			} else if (this.isText) continue;
			else if (char === LIST_END || char === OBJECT_END) this.open.pop();
			else if (char === COMMA) this.countValue();
			else if (char === LIST || char === OBJECT) {
				this.open.push({ isList: char === LIST, entries: 0, names: 0 });
				this.countValue();
			}
		}
	}

	private countValue(): void {
		this.values++;
		const last = this.open.at(-1);
		this.isNextTextName = last?.isList === false;
		if (!last) return;
		last.entries++;
		if (this.open.length > MAX_LEVELS)
			throw tooLarge(`lists or objects nested more than ${MAX_LEVELS} levels deep`);
		if (last.entries > MAX_ENTRIES) throw tooLarge(`a list of more than ${MAX_ENTRIES} entries`);
	}

	private countName(part: string, at: number): void {
		const last = this.open.at(-1);
		if (!last) return;
		// Bytes count from 0 or 1, or stand behind a `length`. A name that the end of the part cuts may be such a number.
		const isByte = [-2, -1, 0].some((offset) => part.startsWith(`${last.entries + offset}"`, at));
		if (this.open.length > 1 && (isByte || at + 7 > part.length)) return;
		if (++last.names > MAX_OBJECT_FIELDS)
			throw tooLarge(`an object with more than ${MAX_OBJECT_FIELDS} fields`);
	}
}
