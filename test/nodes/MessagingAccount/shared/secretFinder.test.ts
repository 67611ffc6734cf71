import fc from 'fast-check';

import { MAX_NESTING } from '../../../../nodes/MessagingAccount/shared/encodings';
import {
	SecretFinder,
	SecretSearch,
	STEP_LENGTH,
} from '../../../../nodes/MessagingAccount/shared/secretFinder';
import { caseCount } from '../../../support/cases';
import { countOtherWork } from '../../../support/otherWork';

/** Asterisks beside a mask could look like a secret of asterisks. */
const secretArbitrary = fc
	.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 })
	.map((text) => text.replaceAll('*', '-').trim())
	.filter((text) => text.length >= 8);

const ENTITIES: Record<string, string> = {
	'"': 'quot',
	'&': 'amp',
	"'": 'apos',
	'+': 'plus',
	'<': 'lt',
	'>': 'gt',
};

function escapeCharacter(character: string): string {
	return /\w/.test(character) ? character : `\\${character}`;
}

type Encoder = (character: string) => string;
const hexOf = (character: string) => character.charCodeAt(0).toString(16).padStart(2, '0');
const ENCODERS: Encoder[] = [
	(character) => character,
	(character) => character.toUpperCase(),
	escapeCharacter,
	(character) => `\\u00${hexOf(character)}`,
	(character) => `\\x${hexOf(character).toUpperCase()}`,
	(character) => `%${hexOf(character)}`,
	(character) => `&#${character.charCodeAt(0)};`,
	(character) => `&#x${hexOf(character)};`,
	(character) => (ENTITIES[character] ? `&${ENTITIES[character]};` : character),
	(character) => (character === ' ' ? '+' : character),
];

const encodersArbitrary = fc.array(fc.constantFrom(...ENCODERS), { minLength: 1, maxLength: 40 });

function encode(text: string, encoders: Encoder[]): string {
	return [...text].map((character, i) => encoders[i % encoders.length](character)).join('');
}

/** Like any service, leaves the letters and digits of an encoding as they are, and escapes what JSON must. */
function encodeAgain(text: string, encoders: Encoder[]): string {
	return text.replace(/[^a-z\d]/gi, (character, i: number) => {
		const encoder = encoders[i % encoders.length];
		return encoder === escapeCharacter && !/["/\\]/.test(character)
			? character
			: encoder(character);
	});
}

/** A text full of what looks like encodings. */
const textArbitrary = fc
	.array(
		fc.oneof(
			fc.constantFrom('\\', '%', '&', '&#', '\\u00', '%25', '&amp;', ';', '4', 'a', '\n', ' '),
			fc.string(),
		),
	)
	.map((parts) => parts.join(''));

/** Decodes a text once, in another way than the code does. */
function decode(text: string): string {
	const names = new Map(Object.entries(ENTITIES).map(([character, name]) => [name, character]));
	return text.replace(
		/\\u00([0-7][\da-f])|\\x([0-7][\da-f])|%([0-7][\da-f])|&#x0*([\da-f]{1,2});|&#0*(\d{1,3});|&(quot|amp|apos|plus|lt|gt);|\\([^a-z\d])/gi,
		(...[, unicode, short, percent, hex, decimal, name, literal]: string[]) => {
			const digits = unicode ?? short ?? percent ?? hex;
			if (digits) return String.fromCharCode(parseInt(digits, 16));
			if (decimal) return String.fromCharCode(Number(decimal));
			return name ? names.get(name.toLowerCase())! : literal;
		},
	);
}

function decodings(text: string): string[] {
	const levels = [text];
	for (let i = 0; i < MAX_NESTING; i++) levels.push(decode(levels[i]));
	return levels.map((level) => level.replace(/\p{Cc}/gu, '').toLowerCase());
}

describe('a masked text', () => {
	test('contains no secret, however its characters are encoded, up to three times', () => {
		fc.assert(
			fc.property(
				secretArbitrary,
				textArbitrary,
				textArbitrary,
				fc.array(encodersArbitrary, { maxLength: MAX_NESTING }),
				(secret, before, after, encodings) => {
					const [inner = [], ...outer] = encodings;
					const encoded = outer.reduce(encodeAgain, inner.length ? encode(secret, inner) : secret);
					const masked = new SecretFinder([secret]).mask(`${before}${encoded}${after}`);
					expect(masked).toContain('***');
					expect(masked).not.toContain(encoded);
					for (const decoded of decodings(masked)) {
						expect(decoded).not.toContain(secret.toLowerCase());
					}
				},
			),
			{ numRuns: caseCount(2000) },
		);
	});

	test('is the text if it contains no secret', () => {
		fc.assert(
			fc.property(textArbitrary, (text) => {
				expect(new SecretFinder(['never-in-a-text', 'not%20in&amp;one']).mask(text)).toBe(text);
			}),
			{ numRuns: caseCount(1000) },
		);
	});

	test.each([
		['token-91c2', 'a token-91c2 b', 'a *** b'],
		['token-91c2', 'token-91c2token-91c2', '******'],
		['token-91c2', 'tok\u0000en-\r\n91c2\n', '***\n'],
		['token-91c2', 'tok\u0085en-91c2', '***'],
		['token-91c2', 'tok\\u0000en\\n-91c2\\n', '***\\n'],
		['token-91c2', 'token-91c', 'token-91c'],
		['token-91c2', 'token\u00ad-91c2', 'token\u00ad-91c2'],
		['aaaaaaaa', 'b' + 'a'.repeat(30) + 'b', 'b***b'],
		['abababab', 'abababababa', '***a'],
		['a"b/c"d/', 'JSON of JSON of JSON: a\\\\\\\\\\\\\\"b/c\\"d/', 'JSON of JSON of JSON: ***'],
		['a"b/c"d/', 'JSON in HTML: a\\&quot;b/c\\&quot;d/', 'JSON in HTML: ***'],
		['a"b/c"d/', 'JSON in a URL: a%5C%22b%2Fc%5C%22d%2F', 'JSON in a URL: ***'],
		['a"b/c"d/', 'HTML in JSON: a\\u0026quot;b/c\\u0026quot;d/', 'HTML in JSON: ***'],
		['a"b/c"d/', 'HTML in HTML: a&amp;quot;b/c&amp;#34;d/', 'HTML in HTML: ***'],
		['a_b{c}d|', 'a&lowbar;b&lcub;c&rbrace;d&VerticalLine;', '***'],
		['a%41b%41c', 'a%41b%41c a%2541b\\x2541c aAbAc', '*** *** aAbAc'],
		['41ab&amp;c', '%41ab&amp;c', '%***'],
		['ab&lt-cdef', '&ab&lt-cdef;', '&***;'],
		['\\\\\\\\\\\\\\\\', `x${'\\'.repeat(8)}y${'\\'.repeat(16)}z`, 'x***y***z'],
		['my secret words', 'my+secret%20words', '***'],
		// Not enough digits, a number that is none of ASCII, a name that is none.
		['token-91c2', 'toke%6 &#365;n-91c2 &tok;', 'toke%6 &#365;n-91c2 &tok;'],
		['abcdefgh', 'ab&#0000000099;defgh', 'ab&#0000000099;defgh'],
	])('with the secret %j: %j', (secret, text, expected) => {
		expect(new SecretFinder([secret]).mask(text)).toBe(expected);
	});

	test('contains nothing of a long secret, however it is encoded', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: 'grapheme-ascii', minLength: 31, maxLength: 120 }),
				fc.array(encodersArbitrary, { minLength: 1, maxLength: MAX_NESTING }),
				(text, [inner, ...outer]) => {
					const ending = `${text.replaceAll('*', '-')}k`;
					const encoded = outer.reduce(encodeAgain, encode(ending, inner));
					// As it is, because backslashes before an encoded character would stay.
					const finder = new SecretFinder([`k${ending}`]);
					expect(finder.mask(`<k${encoded}>`)).toBe('<***>');
				},
			),
			{ numRuns: caseCount(1000) },
		);
	});

	test.each([
		['its last 31 characters', 31, '-***-'],
		['more of them', 90, '-***-'],
		['fewer of them', 30, undefined],
	])('contains nothing of a part of a long secret: %s', (_name, length, expected) => {
		const secret = Array.from(
			{ length: 100 },
			(_, i) => (i * i * 7919).toString(36).at(-2) ?? 'x',
		).join('');
		const text = `-${secret.slice(-length)}-`;
		expect(new SecretFinder([secret]).mask(text)).toBe(expected ?? text);
		expect(new SecretFinder([secret]).mask(`-${secret.slice(0, -1)}-`)).not.toContain('***');
	});

	test('contains nothing of two secrets that overlap', () => {
		const finder = new SecretFinder(['abcdefgh', 'efghijkl']);
		expect(finder.mask('-abcdefghijkl-')).toBe('-***-');
		expect(new SecretFinder(['abcdefgh', 'bcdefghijkl']).mask('-abcdefghijkl-')).toBe('-***-');
	});

	test.each([
		['a/4200+b', 'a/***+b'],
		['4200', '***'],
		['x4200 4200y 14200', 'x4200 4200y 14200'],
		['a4200 z4200 A4200 Z4200 04200 94200', 'a4200 z4200 A4200 Z4200 04200 94200'],
		['4200a 4200z 4200A 4200Z 42000 42009', '4200a 4200z 4200A 4200Z 42000 42009'],
		['/4200: @4200[ `4200{', '/***: @***[ `***{'],
		['_4200-', '_***-'],
		['a%3D4200%26b', 'a%3D***%26b'],
		['a%253D4200', 'a%253D***'],
		['a\\n4200\\n', 'a\\n***\\n'],
		['&#65;4200 %414200', '&#65;*** %414200'],
		// Read as %34 and 200.
		['%34200', '%3***'],
		['%344200', '%344200'],
	])('has a short secret masked only as a whole word: %s', (text, expected) => {
		expect(new SecretFinder(['4200']).mask(text)).toBe(expected);
	});

	test('has a short secret masked only as a whole word, also right after the other secret', () => {
		expect(new SecretFinder(['abcdefgh', '4200']).mask('abcdefgh4200')).toBe('***4200');
	});

	test('does not depend on the texts before it', () => {
		const finder = new SecretFinder(['4200', 'token-91c2']);
		expect(finder.mask('a%3D4200 %41%41')).toBe('a%3D*** %41%41');
		expect(finder.mask('abcx4200 token%2D91c2')).toBe('abcx4200 ***');
		expect(finder.mask('token-91c')).toBe('token-91c');
		expect(finder.mask('2token-91c2')).toBe('2***');
	});

	test('contains no secret where one window ends and another begins', () => {
		const finder = new SecretFinder(['a"b/c"d/']);
		const encoded = 'a\\&amp;quot;b\\\\\\\\u002fc%252522d&amp;#x2f;';
		for (let shift = 0; shift < 60; shift++) {
			const before = `%41${'x'.repeat(4096 - shift)}`;
			expect(finder.mask(before + encoded)).toBe(`${before}***`);
		}
	});

	test('is the same for a text that many windows and steps contain', async () => {
		const secret = 'a"b/c"d/e<f>';
		const encoded = encode(secret, ENCODERS.slice(3, 9));
		const filler = fc.sample(textArbitrary, { numRuns: 200, seed: 1 }).join('');
		const parts = Array.from({ length: 300 }, (_, i) => filler.slice(0, 17 * i) + encoded);
		const text = parts.join('');
		const finder = new SecretFinder([secret, 'client-7f3a']);
		const expected = text.replaceAll(encoded, '***');
		expect(finder.mask(text)).toBe(expected);
		const search = new SecretSearch(finder);
		search.begin(text);
		while (!search.advance(7));
		expect(search.masked).toBe(expected);
		// A text that is masked while another one is.
		const other = `${'x'.repeat(STEP_LENGTH)}${secret}`;
		const both = await Promise.all([finder.maskInSteps(other + text), finder.maskInSteps(other)]);
		expect(both).toEqual([`${'x'.repeat(STEP_LENGTH)}***${expected}`, `${other.slice(0, -12)}***`]);
	});
});

describe('the work', () => {
	const tokens = [
		'\\'.repeat(8),
		'%25%25%25',
		'&amp;&amp;',
		`${'a'.repeat(15)}b`,
		`${'a'.repeat(300)}b`,
		'a%61%61a%61a%61%61',
		'tK9-x72hQpLm_42zzYw81',
	];
	const texts = ['\\', '%', '&', '%25', '&amp;', 'a', 'a%61', '%61', '\\u0061', '\\"', ...tokens];

	test.each(tokens.flatMap((token) => texts.map((text) => [token, text])))(
		'for %s grows only with the length of a text of %s',
		(token, unit) => {
			const search = new SecretSearch(new SecretFinder([token]));
			search.begin(unit.repeat(Math.ceil(20_000 / unit.length)).slice(0, 20_000));
			search.advance(20_000);
			// Each way to read an offset is followed at most once, forwards and back.
			expect(search.followed).toBeLessThanOrEqual(2 * (MAX_NESTING + 1) * 20_000);
		},
	);

	test('is not more where secrets overlap', () => {
		const search = new SecretSearch(new SecretFinder(['a'.repeat(8)]));
		search.begin('a'.repeat(20_000));
		search.advance(20_000);
		expect(search.masked).toBe('***');
		expect(search.followed).toBeLessThanOrEqual(20_100);
	});

	test('lets n8n do something else after each step', async () => {
		const finder = new SecretFinder(['token-91c2']);
		const text = 'x'.repeat(5 * STEP_LENGTH);
		expect(await countOtherWork(() => finder.maskInSteps(text))).toBeGreaterThanOrEqual(4);
	});
});
