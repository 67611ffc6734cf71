import { sleep } from '../n8n/sleep';
import { STEP_LENGTH } from '../n8n/yieldToEventLoop';

export const MASK = '***';

/** The length below which a secret counts only as a whole word: it may occur inside other text by chance. */
const SHORT_SECRET_LENGTH = 8;

/** The most characters that are compared. Behind that many, the rest of the word is masked, too. */
const MAX_SOUGHT_LENGTH = 250;

/** How far behind a step a secret may reach, and before it what says that a secret starts there. */
const MARGIN = 32 * 1024;

/** The token in a link to a file. A list of messages may have a link from an earlier execution, whose token is no longer known. */
const LINK = '/binary-data/signed?token=';
const LINK_TOKEN = String.raw`(?<=/binary-data/signed\?token=)[\w.-]+`;

/** Where a word starts: also behind an encoded character. */
const WORD_START = String.raw`(?<=^|[^a-z\d]|%(?:25){0,3}[\da-f]{2}|\\(?:[bfnrt]|(?:u00|x)[\da-f]{2}))`;

const HTML_ENTITIES: Record<string, string> = {
	...{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' },
	...{ '+': 'plus', '=': 'equals', '/': 'sol', ':': 'colon', '#': 'num' },
};

/** Masks secrets wherever a service or a proxy repeats them: SECURITY.md, "Which encodings count". The time is in proportion to the length. */
export class SecretFinder {
	/** The longest first, each with a part of it that is never encoded. */
	private readonly secrets: Array<{ secret: string; part: string }>;
	private readonly patterns = new Map<string, RegExp>();

	constructor(secrets: string[]) {
		const longestFirst = [...new Set(secrets)].filter(Boolean).sort((a, b) => b.length - a.length);
		this.secrets = longestFirst.map((secret) => ({ secret, part: findPlainPart(secret) }));
	}

	/** @example new SecretFinder(['a+b/c+d/']).mask('token=a%2Bb%2Fc%2Bd%2F&x=1') // 'token=***&x=1' */
	mask(text: string): string {
		const pattern = this.findPattern(text);
		return pattern ? text.replace(pattern, MASK) : text;
	}

	/** As `mask`, for a long text. Between its steps, n8n does its other work. */
	async maskInSteps(text: string): Promise<string> {
		let masked = '';
		for (let at = 0; at < text.length; ) {
			if (at > 0) await sleep(0);
			const [start, end] = [Math.max(0, at - MARGIN), at + STEP_LENGTH];
			const part = text.slice(start, end + MARGIN);
			const pattern = this.findPattern(part);
			if (pattern) pattern.lastIndex = at - start;
			for (const { 0: secret, index } of pattern ? part.matchAll(pattern) : []) {
				const found = start + index;
				if (found >= end) break;
				masked += text.slice(at, found) + MASK;
				at = found + secret.length;
			}
			masked += text.slice(at, end);
			at = Math.max(at, end);
		}
		return masked;
	}

	/** Returns the pattern of what a text may have. Most have nothing, and V8 takes milliseconds for a pattern. */
	private findPattern(text: string): RegExp | undefined {
		const plain = text.toLowerCase();
		const possible = this.secrets.filter(({ part }) => plain.includes(part));
		const patterns = possible.map(({ secret }) => toPattern(secret));
		if (text.includes(LINK)) patterns.push(LINK_TOKEN);
		if (patterns.length === 0) return undefined;
		const source = patterns.join('|');
		const known = this.patterns.get(source) ?? new RegExp(source, 'gi');
		this.patterns.set(source, known);
		return known;
	}
}

/** Returns the longest run of letters and digits in the part of a secret that is compared. */
function findPlainPart(secret: string): string {
	const parts = secret.slice(0, MAX_SOUGHT_LENGTH).match(/[a-z\d]+/gi) ?? [];
	return parts.reduce((a, b) => (b.length > a.length ? b : a), '').toLowerCase();
}

function toPattern(secret: string): string {
	const pattern = Array.from(secret.slice(0, MAX_SOUGHT_LENGTH), toForms).join('');
	if (secret.length > MAX_SOUGHT_LENGTH) return String.raw`${pattern}[^\s"'<>]*`;
	return secret.length < SHORT_SECRET_LENGTH
		? String.raw`${WORD_START}${pattern}(?![a-z\d])`
		: pattern;
}

/** %, %25, %2525 or %252525. */
const PERCENT = '%(?:25){0,3}';
const BACKSLASH = String.raw`(?:\\|${PERCENT}5c)`;
/** &, %26 or \u0026, and &amp; in place of each. */
const AMPERSAND = String.raw`(?:&|${PERCENT}26|${BACKSLASH}{1,7}u0026)(?:amp;){0,3}`;
const SEMICOLON = `(?:;|${PERCENT}3b)`;

/** Returns the pattern of a character in all its encodings, also one in another: of `+`, e.g. %2B, %252B, &#43;, &amp;#x2b; and \u002b. */
function toForms(character: string): string {
	if (/[a-z\d]/i.test(character)) return character;
	const code = character.codePointAt(0)!;
	const hex = code.toString(16);
	// Of +: &#43; &#x2b; and &plus;
	const number = `(?:#|${PERCENT}23)(?:0*${code}|x0*${hex})`;
	const names = [number, HTML_ENTITIES[character]].filter(Boolean).join('|');
	const inHtml = `${AMPERSAND}(?:${names})${SEMICOLON}`;
	const inUrl = Buffer.from(character).toString('hex').replace(/../g, `${PERCENT}$&`);
	const inJavaScript = `(?:x${hex}|u${hex.padStart(4, '0')})`;
	// In forms, + stands for a space.
	const isSpace = /[+ ]/.test(character);
	const asItIs = isSpace ? `(?:[+ ]|${PERCENT}2[0b])` : character.replace(/\W/, String.raw`\$&`);
	return `(?:${BACKSLASH}{0,7}(?:${inHtml}|${inUrl}|${asItIs})|${BACKSLASH}{1,7}${inJavaScript})`;
}
