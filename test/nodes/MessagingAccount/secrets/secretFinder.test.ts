import { STEP_LENGTH } from '../../../../nodes/MessagingAccount/n8n/yieldToEventLoop';
import { SecretFinder } from '../../../../nodes/MessagingAccount/secrets/secretFinder';
import { caseCount } from '../../../support/testSize';
import fc from '../../../support/fastCheck';

/** A text full of what looks encoded. */
const textArbitrary = fc
	.array(
		fc.oneof(
			fc.constantFrom('\\', '%', '&', '&#', '\\u00', '%25', '&amp;', ';', '4', 'a', '\n', ' '),
			fc.string(),
		),
	)
	.map((parts) => parts.join(''));

/** Masks a text part by part. */
function maskParts(finder: SecretFinder, text: string, length: number): string {
	let masked = '';
	for (let from = 0; from < text.length; from += length) {
		masked += finder.mask(text, from, Math.min(text.length, from + length));
	}
	return masked;
}

describe('a masked text', () => {
	test('is the text if it contains no secret', () => {
		fc.assert(
			fc.property(textArbitrary, (text) => {
				expect(new SecretFinder(['never-in-a-text', 'not%20in&amp;one']).mask(text)).toBe(text);
				expect(new SecretFinder([]).mask(text)).toBe(text);
			}),
			{ numRuns: caseCount(1000) },
		);
	});

	test.each([
		['token-91c2', 'a token-91c2 b', 'a *** b'],
		['token-91c2', 'TOKEN-91C2', '***'],
		['token-91c2', 'token-91c2token-91c2', '******'],
		['token-91c2', 'tok\u0000en-\r\n91c2\n', '***\n'],
		['token-91c2', '\\ntok\\u0000en\\n-91c2\\n', '\\n***\\n'],
		['token-91c2', 'token-91c', 'token-91c'],
		['token-91c2', 'token\u00ad-91c2', 'token\u00ad-91c2'],
		['a"b/c"d/', 'JSON of a part: a\\\\\\\\\\\\\\"b/c', 'JSON of a part: a\\\\\\\\\\\\\\"b/c'],
		['a"b/c"d/', 'JSON of JSON: a\\\\\\"b/c\\\\\\"d/', 'JSON of JSON: ***'],
		['a+b-c%41&lt;"', 'a%2Bb-c%2541%26lt%3B%22 a+b-c%41&amp;lt;&quot;', '*** ***'],
		['my secret words', 'my+secret%20words', '***'],
		['token-91c2', '+A%41 TOKEN-91c2 B\n', '+A%41 *** B\n'],
		['42004200', 'x42004200y', 'x***y'],
		['4200420', 'x4200420y', 'x4200420y'],
		// Short secrets are masked only as whole words.
		['4200', 'a4200 z4200 A4200 Z4200 04200 94200', 'a4200 z4200 A4200 Z4200 04200 94200'],
		['4200', '4200a 4200z 4200A 4200Z 42000 42009', '4200a 4200z 4200A 4200Z 42000 42009'],
		['4200', '/4200: @4200[ `4200{', '/***: @***[ `***{'],
		['4200', '_4200-', '_***-'],
		['4200', 'a%3D4200%26b', 'a%3D***%26b'],
		['4200', 'a\n4200\nb', 'a\n***\nb'],
		['4200', '4200x 4200', '4200x ***'],
		['4200', '&#65;4200 %414200', '&#65;*** %414200'],
		// Read as %34 and 200.
		['4200', '%34200', '***'],
		['4200', '%344200', '%344200'],
		// These look encoded.
		['ab\\cd"ef', 'ab\\cd&quot;ef', '***'],
		['\\b"c', 'x \\b&quot;c y', 'x \\b&quot;c y'],
		['a\\-"c', 'x a\\-&quot;c y', 'x *** y'],
		['%41%42%43%44%45fgh', 'abcdefgh', '***'],
		['%41%42%43%44%45fg', 'abcdefg', 'abcdefg'],
		['', 'a', 'a'],
		// Too little is left of these when they are decoded.
		['%41%42%43', 'abc %41%42%43 %2541%2542%2543', 'abc *** ***'],
		['\\\\\\\\\\\\\\\\', 'a \\ b', 'a \\ b'],
	])('with the secret %j: %j', (secret, text, expected) => {
		expect(new SecretFinder([secret]).mask(text)).toBe(expected);
	});

	test('contains nothing of two secrets that overlap', () => {
		const finder = new SecretFinder(['abcdefgh', 'efghijkl']);
		expect(finder.mask('-abcdefghijkl-')).toBe('-***-');
		expect(new SecretFinder(['abcdefgh', '4200']).mask('abcdefgh4200')).toBe('***4200');
		expect(finder.mask('-ijklabcdefgh-efghijkl-')).toBe('-ijkl***-***-');
		expect(new SecretFinder(['abcdefgh', 'bcdefghijkl']).mask('-abcdefghijkl-')).toBe('-***-');
		expect(new SecretFinder(['abc', 'abc-def']).mask('x abc-def y abc')).toBe('x *** y ***');
		expect(new SecretFinder(['abcdefghijkl', 'cdefghij']).mask('-abcdefghijkl-')).toBe('-***-');
	});

	test('contains nothing of a long secret, nor of its first 250 characters and what follows', () => {
		const letters = Array.from({ length: 500 }, (_, i) => (i * i * 7919).toString(36).at(-2));
		const secret = letters.join('');
		const finder = new SecretFinder([secret]);
		expect(finder.mask(`<${secret}>${secret}`)).toBe('<***>***');
		expect(finder.mask(`<${secret.slice(0, 250)}>`)).toBe('<***>');
		expect(finder.mask(`<${secret.slice(0, 400)}>`)).toBe('<***>');
		expect(finder.mask(secret.slice(0, 400))).toBe('***');
		expect(finder.mask(secret.slice(0, 249))).toBe(secret.slice(0, 249));
		expect(finder.mask(secret.slice(1))).toBe(secret.slice(1));
		expect(new SecretFinder([secret.slice(0, 251)]).mask(secret)).toBe(`***${secret.slice(251)}`);
	});

	test('contains no token of a link to a file', () => {
		const link = 'https://a.example.com/binary-data/signed?token=';
		const finder = new SecretFinder(['token-91c2']);
		expect(finder.mask(`${link}eyJ_0.a-Z token-91c2 ${link}1\n2`)).toBe(
			`${link}*** *** ${link}***\n2`,
		);
		expect(finder.mask('/binary-data/signed?x=1')).toBe('/binary-data/signed?x=1');
	});
});

describe('a text masked part by part', () => {
	const LINK = 'https://a.example.com/binary-data/signed?token=eyJ_0.a-Z';
	const ENCODED = 'tok%65n-91c2 \\u0074oken%2D91c2 \\\\" &amp;'.split(' ');
	const parts = ['token-91c2', '4200', 'xy ', LINK, ...ENCODED];

	test('is the same as masked at once', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom(...parts), { maxLength: 30 }),
				fc.integer({ min: 1, max: 40 }),
				(texts, length) => {
					const text = texts.join('');
					const finder = new SecretFinder(['token-91c2', '4200']);
					expect(maskParts(finder, text, length)).toBe(finder.mask(text));
				},
			),
			{ numRuns: caseCount(500) },
		);
	});

	test.each([
		['of 10 characters', 'token-91c2'],
		['of 300', 'abc-ef'.repeat(50)],
		['of 8,000', 'abc-ef'.repeat(1300)],
	])('contains no secret where one part ends and another begins: %s', (_length, secret) => {
		const finder = new SecretFinder([secret]);
		const filler = '-'.repeat(300_000);
		const encoded = secret.replace(/./g, (one) => `%2525${one.charCodeAt(0).toString(16)}`);
		const text = filler + encoded + filler;
		for (const place of [1, encoded.length / 2, encoded.length - 1]) {
			const at = filler.length + Math.floor(place);
			expect(finder.mask(text, 0, at) === `${filler}***`).toBe(true);
			expect(finder.mask(text, at) === filler).toBe(true);
		}
		expect(finder.mask(text, filler.length - 10, filler.length)).toBe('-'.repeat(10));
	});

	test('does not read more than it needs', () => {
		const text = 'x'.repeat(10 * STEP_LENGTH);
		const slice = jest.spyOn(String.prototype, 'slice');
		new SecretFinder(['a'.repeat(100_000)]).mask(text, 4 * STEP_LENGTH, 5 * STEP_LENGTH);
		const lengths = slice.mock.results.map(({ value }) => String(value).length);
		slice.mockRestore();
		expect(Math.max(...lengths)).toBe(2 * STEP_LENGTH);
	});
});
