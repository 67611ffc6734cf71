import { STEP_LENGTH } from '../n8n/yieldToEventLoop';
import { decode, type Decoded } from './decode';

export const MASK = '***';

/** The length below which a secret counts only as a whole word: it may occur inside other text by chance. */
const SHORT_SECRET_LENGTH = 8;

/** The most characters to search for, because the time to search for more is not linear. The rest is compared. */
const MAX_SOUGHT_LENGTH = 250;

/** More characters than three encodings make of one. */
const MAX_ENCODED_LENGTH = 32;

/** The token in a link to a file. A list of messages may have a link from an earlier execution, whose token is no longer known. */
const LINK_TOKEN = /(?<=\/binary-data\/signed\?token=)[\w.-]+/g;

/** Where a secret starts and ends in a text. */
type Place = [start: number, end: number];

/** Sees to it that no text has a secret, neither plain nor encoded: SECURITY.md, "Which encodings count". */
export class SecretFinder {
	/** As `decode` leaves them: a secret that itself looks encoded is decoded together with the text. */
	private readonly secrets: string[];
	/** How far before and behind a part of a text to look, for a secret that is only partly in it. */
	private readonly margin: number;

	constructor(secrets: string[]) {
		this.secrets = [...new Set(secrets.flatMap(listDecoded))];
		const lengths = this.secrets.map(({ length }) => length * MAX_ENCODED_LENGTH);
		this.margin = Math.min(Math.max(4096, ...lengths), STEP_LENGTH / 2);
	}

	/**
	 * Returns a part of a text with its secrets masked. A secret that starts before the part has its mask there.
	 * @example new SecretFinder(['a+b/c+d/']).mask('token=a%2Bb%2Fc%2Bd%2F&x=1') // 'token=***&x=1'
	 */
	mask(text: string, from = 0, to = text.length): string {
		const first = Math.max(0, from - this.margin);
		const places = [...this.find(text.slice(first, to + this.margin))].sort(([a], [b]) => a - b);
		let masked = '';
		let at = from;
		for (const [start, end] of places.map((place) => place.map((one) => one + first))) {
			if (end <= at || start >= to) continue;
			if (start >= at) masked += text.slice(at, start) + MASK;
			at = end;
		}
		return masked + text.slice(at, to);
	}

	private *find(text: string): Generator<Place> {
		for (const { 0: token, index } of text.matchAll(LINK_TOKEN))
			yield [index, index + token.length];
		for (const decoded of decode(text))
			for (const secret of this.secrets) yield* findSecret(secret, decoded);
	}
}

function* findSecret(secret: string, { text, starts, ends }: Decoded): Generator<Place> {
	// What is left out between two characters, e.g. a control character, ends a word.
	const isInWord = (at: number) =>
		starts[at] === ends[at - 1] && /[a-z\d]{2}/.test(text.slice(at - 1, at + 1));
	const sought = secret.slice(0, MAX_SOUGHT_LENGTH);
	for (let at = text.indexOf(sought), end = 0; at !== -1; at = text.indexOf(sought, end)) {
		end = at + sought.length;
		// The rest of a long secret.
		while (text.charCodeAt(end) === secret.charCodeAt(end - at)) end++;
		if (secret.length < SHORT_SECRET_LENGTH && (isInWord(at) || isInWord(end))) continue;
		yield [starts[at], ends[end - 1]];
	}
}

/** Lists what `decode` makes of a secret, but for stages that leave too little of it. */
function listDecoded(secret: string): string[] {
	const minLength = Math.min(secret.length / 2, SHORT_SECRET_LENGTH - 1);
	const texts = Array.from(decode(secret), ({ text }) => text);
	return texts.filter(({ length }) => length > minLength);
}
