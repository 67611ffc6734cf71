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

const ENTITIES = 'a\\u002bb\\x2Bc&plus;d&#43; a&#x2b;b&#X002B;c&amp;#43;d&amp;amp;plus;';

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
		['TOKEN-91C2', 'token-91c2', '***'],
		['token-91c2', 'token-91c2token-91c2', '******'],
		['token-91c2', '\\ntoken-91c2\\n', '\\n***\\n'],
		['token-91c2', 'token-91c', 'token-91c'],
		['a.b.c.d.', 'a.b.c.d. axbxcxdx', '*** axbxcxdx'],
		['a"b/c"d/', 'JSON of JSON: a\\\\\\"b/c\\\\\\"d\\/', 'JSON of JSON: ***'],
		['a+b+c+d+', 'a%2Bb%2bc%252Bd%25252B a%u002bb', '*** a%u002bb'],
		['a+b+c+d+', ENTITIES, '*** ***'],
		['a<b&c\'d"', 'a&lt;b&amp;c&#039;d&quot; a&amp;lt;b&amp;amp;c&apos;d"', '*** ***'],
		['a%41b%41c', 'a%41b%41c a%2541b%2541c', '*** ***'],
		['a\\b\\c\\d\\', 'a\\\\b\\\\c\\\\d\\\\', '***'],
		['äöüß-91c2', 'äöüß-91c2 %C3%A4%c3%b6%C3%BC%C3%9F-91c2', '*** ***'],
		['my secret words', 'my+secret%20words my secret words', '*** ***'],
		['a+b+c+d+', 'a b c d ', '***'],
		['42004200', 'x42004200y', 'x***y'],
		['4200420', 'x4200420y', 'x4200420y'],
		// Short secrets are masked only as whole words.
		['4200', '4200', '***'],
		['4200', 'a4200 z4200 A4200 Z4200 04200 94200', 'a4200 z4200 A4200 Z4200 04200 94200'],
		['4200', '4200a 4200z 4200A 4200Z 42000 42009', '4200a 4200z 4200A 4200Z 42000 42009'],
		['4200', '/4200: @4200[ `4200{', '/***: @***[ `***{'],
		['4200', '_4200-', '_***-'],
		['4200', 'a%3D4200%26b', 'a%3D***%26b'],
		['4200', 'a\\n4200\\nb', 'a\\n***\\nb'],
		['4200', 'a\n4200\nb', 'a\n***\nb'],
		['4200', '4200x 4200', '4200x ***'],
		['', 'a', 'a'],
	])('with the secret %j: %j', (secret, text, expected) => {
		expect(new SecretFinder([secret]).mask(text)).toBe(expected);
	});

	test('has one mask for the longer of two secrets that begin with the same', () =>
		expect(new SecretFinder(['abc', 'abc-def']).mask('x abc-def y abc')).toBe('x *** y ***'));

	test('contains nothing of a long secret, nor of its first 250 characters and what follows', () => {
		const letters = Array.from({ length: 500 }, (_, i) => (i * i * 7919).toString(36).at(-2));
		const secret = letters.join('');
		const finder = new SecretFinder([secret]);
		expect(finder.mask(`<${secret}>`)).toBe('<***>');
		expect(finder.mask(`<${secret.slice(0, 250)}> "${secret.slice(0, 400)}…"`)).toBe('<***> "***"');
		expect(finder.mask(secret.slice(0, 249))).toBe(secret.slice(0, 249));
		expect(finder.mask(secret.slice(1))).toBe(secret.slice(1));
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

test('a text masked in steps is the same as masked at once, wherever a step ends', async () => {
	const link = 'https://a.example.com/binary-data/signed?token=eyJ_0.a-Z';
	const secrets = ['token-91c2', '4200', 'a+'.repeat(60), 'b'.repeat(400)];
	const finder = new SecretFinder(secrets);
	for (const text of ['token-91c2', 'a%2b'.repeat(60), secrets[3], link, ' 4200 ', 'x4200'])
		for (const place of [0, 1, text.length / 2, text.length - 1, text.length]) {
			const filler = ' '.repeat(STEP_LENGTH - Math.floor(place));
			const long = `${filler}${text}${filler}${text}`;
			expect((await finder.maskInSteps(long)) === finder.mask(long)).toBe(true);
		}
});
