import { decode } from './decode';
import { STEP_LENGTH } from '../n8n/yieldToEventLoop';

export const MASK = '***';

/** The length below which a secret counts only as a whole word: it may occur inside other text by chance. */
const SHORT_SECRET_LENGTH = 8;

/** The most characters to search for, because the time to search for more is not linear. The rest is compared. */
const MAX_SOUGHT_LENGTH = 250;

/** More characters than three encodings make of one. */
const MAX_ENCODED_LENGTH = 32;

/** The token in a link to a file. A list of messages may have a link from an earlier execution, whose token is no longer known. */
const LINK_TOKEN = /(?<=\/binary-data\/signed\?token=)[\w.-]+/g;

/** Finds secrets in texts, both plain and encoded. */
export class SecretFinder {
	private readonly secrets: string[];
	/** The distance to look around a part of a text, for secrets that are only partly in it. */
	private readonly overlap: number;

	constructor(secrets: string[]) {
		this.secrets = [...new Set(secrets.flatMap(formsOf))];
		const lengths = this.secrets.map(({ length }) => length * MAX_ENCODED_LENGTH);
		this.overlap = Math.min(Math.max(4096, ...lengths), STEP_LENGTH / 2);
	}

	/** Returns a part of a text with its secrets masked. A secret that starts before the part has its mask there. */
	mask(text: string, from = 0, to = text.length): string {
		const start = Math.max(0, from - this.overlap);
		const part = text.slice(start, to + this.overlap);
		const safe: string[] = [];
		let at = from - start;
		for (const [first, end] of [...this.find(part)].sort(([a], [b]) => a - b)) {
			if (end <= at || first >= to - start) continue;
			if (first >= at) safe.push(part.slice(at, first), MASK);
			at = end;
		}
		return safe.join('') + part.slice(at, to - start);
	}

	/** Yields the start and end of each secret. */
	private *find(original: string): Generator<[start: number, end: number]> {
		for (const { text, starts, ends } of decode(original)) {
			const isInWord = (at: number) =>
				starts[at] === ends[at - 1] && /[a-z\d]{2}/.test(text.slice(at - 1, at + 1));
			for (const secret of this.secrets) {
				const sought = secret.slice(0, MAX_SOUGHT_LENGTH);
				for (let at = text.indexOf(sought), end = 0; at !== -1; at = text.indexOf(sought, end)) {
					end = at + sought.length;
					while (text.charCodeAt(end) === secret.charCodeAt(end - at)) end++;
					if (secret.length < SHORT_SECRET_LENGTH && (isInWord(at) || isInWord(end))) continue;
					yield [starts[at], ends[end - 1]];
				}
			}
		}
		for (const { 0: token, index } of original.matchAll(LINK_TOKEN))
			yield [index, index + token.length];
	}
}

/** Returns a secret in each stage of decoding, because the text is decoded, too. Stages that leave too little of it are dropped. */
function formsOf(secret: string): string[] {
	const minLength = Math.min(secret.length / 2, SHORT_SECRET_LENGTH - 1);
	const forms = Array.from(decode(secret), ({ text }) => text);
	return forms.filter(({ length }) => length > minLength);
}
