import { decode } from '../../../../nodes/MessagingAccount/secrets/decode';

const PRINTABLE = Array.from({ length: 0x5f }, (_, i) => String.fromCharCode(0x20 + i));
/** The entities of HTML, each with what it stands for. */
const ENTITIES = 'amp& lt< gt> quot" apos\' plus+ equals= sol/ colon: num#'.split(' ');

const textsOf = (text: string) => Array.from(decode(text), ({ text: decoded }) => decoded);

describe('a text to compare', () => {
	test('has lower case only, and a space for each plus sign', () => {
		expect(textsOf('Ab+C d')).toEqual(['ab c d']);
		expect(textsOf(PRINTABLE.join(''))[0]).toBe(PRINTABLE.join('').toLowerCase().replace('+', ' '));
	});

	test('has the same character for all that are not ASCII', () => {
		expect(textsOf('\u00a0\u00c4\u00ff\u0141\u0161\uffff')).toEqual(['\x7f'.repeat(6)]);
	});

	test('has no control characters once it is decoded', () => {
		const [, decoded, ...others] = textsOf('a\u0000b\r\nc\u001fd\u007fe\u0080f\u009fg');
		expect(decoded).toBe('abcdefg');
		expect(others).toEqual([]);
	});

	test.each(PRINTABLE)('has %j for each way to encode it', (character) => {
		const code = character.charCodeAt(0);
		const hex = code.toString(16);
		const names = ENTITIES.filter((entity) => entity.endsWith(character)).map(
			(entity) => `&${entity.slice(0, -1)};`,
		);
		const encoded = [
			`%${hex}`,
			`\\u00${hex}`,
			`\\x${hex}`,
			`\\U00${hex.toUpperCase()}`,
			`&#${code};`,
			`&#000${code};`,
			`&#x${hex};`,
			`&#X0000000000${hex.toUpperCase()};`,
			...names,
			...names.map((name) => name.toUpperCase()),
		];
		const expected = character.toLowerCase().replace('+', ' ');
		expect(encoded.map((text) => textsOf(`-${text}-`)[1])).toEqual(
			encoded.map(() => `-${expected}-`),
		);
	});

	test.each([
		['what JSON escapes', '\\"\\\\\\/\\\'', '"\\/\''],
		[
			'nothing for an escaped control character',
			'a\\b\\f\\n\\r\\t\\u0000\\x1f%0a&#xa;&#10;&#133;b',
			'ab',
		],
		['nothing for a backslash that escapes nothing', '\\a\\-\\u004\\x\\', 'a-u004x'],
		['what comes after a backslash, decoded', '\\&quot;\\%41', '"a'],
		['one character for one beyond ASCII', '&#xe9;%e9\\u00e9', '\x7f\x7f\x7f'],
	])('has %s', (_what, text, expected) => {
		expect(textsOf(text)[1]).toBe(expected);
	});

	test.each('%4,%4g,% 41,&#65,&#,&#x,&amp,&a,&unknown;,&#365;,&#x100;'.split(','))(
		'has %j as it is',
		(text) => {
			expect(textsOf(text)).toEqual([text]);
			expect(textsOf(`${text}-`)).toEqual([`${text}-`]);
		},
	);

	test('is decoded up to four times', () => {
		expect(textsOf('%2525252541')).toEqual(['%2525252541', '%25252541', '%252541', '%2541', '%41']);
		expect(textsOf('&amp;#38;lt;x')).toEqual(['&amp;#38;lt;x', '&#38;lt;x', '&lt;x', '<x']);
		expect(textsOf('\\\\\\"%5c%22')).toEqual(['\\\\\\"%5c%22', '\\"\\"', '""']);
	});

	test('tells where each character starts and ends', () => {
		const places = Array.from(decode('a%2541\nb&amp;c\\u0041\\n'), ({ text, starts, ends }) =>
			Array.from(text, (character, i) => `${character}:${starts[i]}-${ends[i]}`).join(' '),
		);
		expect(places[0]).toMatch(/ 4:18-19 1:19-20 \\:20-21 n:21-22$/);
		expect(places.slice(1)).toEqual([
			'a:0-1 %:1-4 4:4-5 1:5-6 b:7-8 &:8-13 c:13-14 a:14-20',
			'a:0-1 a:1-6 b:7-8 &:8-13 c:13-14 a:14-20',
		]);
	});
});
