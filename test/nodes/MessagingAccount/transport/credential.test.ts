import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import fc from '../../../support/fastCheck';
import { describeInputError } from '../../../support/inputError';

const GOOD = { baseUrl: 'https://messaging.example.com', clientId: 'client', token: 'secret' };

describe('Base URL', () => {
	test.each([
		['https://a.example.com', 'https://a.example.com'],
		['  https://a.example.com \n', 'https://a.example.com'],
		['https://a.example.com///', 'https://a.example.com'],
		['https://a.example.com /', 'https://a.example.com'],
		['https://a.example.com\\', 'https://a.example.com'],
		['https://a.example.com/V1;', 'https://a.example.com'],
		['http://http:3000', 'http://http:3000'],
		['https://a.example.com/v1/', 'https://a.example.com'],
		['https://a.example.com/v1/status', 'https://a.example.com'],
		['https://a.example.com/api/v1/sendImage/', 'https://a.example.com/api'],
		['https://a.example.com/status', 'https://a.example.com/status'],
		['https://a.example.com/v1/v1', 'https://a.example.com/v1'],
		['http://localhost:8080/messaging/', 'http://localhost:8080/messaging'],
	])('%j is read as %s', (entered, expected) => {
		expect(readAccount({ ...GOOD, baseUrl: entered }).baseUrl).toBe(expected);
	});

	test.each([
		...['', undefined, 'messaging.example.com', 'ftp://messaging.example.com'],
		...['xhttps://messaging.example.com', 'http://', '/v1'],
		...['https:///api', 'https://\\api', 'https://.example.com', 'https://\t/api'],
	])('is refused with an error that names it: %s', (baseUrl) => {
		expect(describeInputError(() => readAccount({ ...GOOD, baseUrl }))).toMatch(
			/^'Base URL' .* is not a web address: Enter .* http:\/\/ or https:\/\//,
		);
	});

	test.each(['?x=1', '#x', '#/', '?'])('is refused with more than an address: %s', (more) => {
		const baseUrl = `https://messaging.example.com/${more}`;
		expect(describeInputError(() => readAccount({ ...GOOD, baseUrl }))).toMatch(
			/^'Base URL' .* more than an address: Remove/,
		);
	});
});

test.each([
	'https://https://messaging.example.com',
	'http://https://messaging.example.com/api',
	'https:https://messaging.example.com',
	'https://http//messaging.example.com',
	'https://m.example.comhttps://m.example.com',
])('an address with two schemes is refused as one: %s', (baseUrl) => {
	expect(describeInputError(() => readAccount({ ...GOOD, baseUrl }))).toBe(
		"'Base URL' in the credential contains http:// or https:// twice: Remove one of the two.",
	);
});

test.each([
	['baseUrl', 'Base URL'],
	['clientId', 'Client ID'],
	['token', 'Token'],
] as const)('%s is refused if it is too long', (name, label) => {
	const entered = GOOD[name].padEnd(8001, 'x');
	expect(describeInputError(() => readAccount({ ...GOOD, [name]: entered }))).toBe(
		`'${label}' in the credential is longer than 8,000 characters: Enter only the value that the service gave you.`,
	);
});

test.each([
	['baseUrl', '{{ $json.url }}'],
	['baseUrl', 'https://{{ $json.host }}/api'],
	['clientId', '{{ $json.id }}'],
	['token', 'Bearer {{$json.tok}}'],
	['token', '{{ $json.tok'],
])('%s is refused if it is an expression as fixed text: %s', (name, entered) => {
	expect(describeInputError(() => readAccount({ ...GOOD, [name]: entered }))).toMatch(
		/^'.*' in the credential contains \{\{: To have n8n evaluate it, switch the field from Fixed to Expression\.$/,
	);
});

const HAS = 'in the credential contains';

test.each([
	['baseUrl', 'https://undefined/api', `'Base URL' ${HAS} 'undefined': The cell`],
	['baseUrl', 'https://m.example.com/null', `'Base URL' ${HAS} 'null': The cell`],
	['clientId', 'acc-null', "'Client ID' in the credential contains 'null': The cell"],
	['token', 'T-undefined', "'Token' in the credential contains 'undefined': The cell may be empty"],
	['token', 'T-[object Object]', "'Token' in the credential contains '[object Object]': The cell"],
	['token', { tok: 'x' }, "'Token' is a list or an object: Select the field that holds one value."],
	['clientId', ['x'], "'Client ID' is a list or an object: Select the field that holds one value."],
])('%s is refused if it was made of a missing value or an object: %j', (name, value, refusal) => {
	const read = () => readAccount({ ...GOOD, [name]: value }, { [name]: '={{ $json.cell }}' });
	expect(describeInputError(read)).toContain(refusal);
});

describe('of an expression', () => {
	const read = (entered: string, token: string) =>
		readAccount({ ...GOOD, token }, { ...GOOD, token: entered });

	test.each([
		['=acc-{{ $json.nope }}', 'acc-'],
		['={{ $json.nope }}-acc', '-acc'],
		['={{ $json.a }}{{ $json.nope }}', 'a'],
		['={{ $json.nope }}-{{ $json.a }}', '-aa'],
		['=a-{{ $json.a }}-{{ $json.nope }}-{{ $json.a', 'a-x--x'],
	])('%s an empty part is refused: %s', (entered, token) => {
		expect(describeInputError(() => read(entered, token))).toBe(
			"'Token' in the credential has an empty part: The cell may be empty: fill it in. If it is not, correct the expression.",
		);
	});

	test.each([
		['=acc-{{ $json.a }}', 'acc--'],
		['={{ $json.a }}-{{ $json.b }}', 'a-b-'],
		['={{ $json.a }}{{ $json.b }}', 'ab'],
		['=\\{{ a }}-{{ $json.b }}', '{ a }-b'],
		['=fixed', 'fixed'],
		['main{{', 'main{{'],
		['={{ $json.a }}', 'nullable'],
	])('%s each part has a value in %s', (entered, token) => {
		expect(read(entered, token)).toMatchObject({ token });
	});
});

describe.each([
	['clientId', 'Client ID'],
	['token', 'Token'],
])('%s', (name, field) => {
	test('may contain every printable ASCII character, without the spaces and line breaks around them', () => {
		const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('');
		const entered = `\ufeff${printable}\u00a0\r\n`;
		expect(readAccount({ ...GOOD, [name]: entered })).toHaveProperty(name, printable.trim());
	});

	test('is refused with an error that names it if it is empty', () => {
		for (const value of ['', '  ', undefined])
			expect(describeInputError(() => readAccount({ ...GOOD, [name]: value }))).toBe(
				`'${field}' in the credential is empty: Enter the value that the service gave you.`,
			);
	});

	test('is refused with an error that names it, never its value, if it contains any other character', () => {
		const anyCharacter = fc.integer({ min: 0, max: 0xffff }).map((n) => String.fromCharCode(n));
		fc.assert(
			fc.property(
				anyCharacter.filter((character) => character < ' ' || character > '~'),
				(character) => {
					const value = `Zq8${character}Zq9`;
					const error = describeInputError(() => readAccount({ ...GOOD, [name]: value }));
					expect(error).toContain(`'${field}'`);
					expect(error).toContain('Look for line breaks');
					expect(error).not.toContain('Zq');
				},
			),
		);
	});
});
