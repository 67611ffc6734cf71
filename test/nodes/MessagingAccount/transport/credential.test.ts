import fc from 'fast-check';

import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import { refusalOf } from '../../../support/refusal';

const GOOD = { baseUrl: 'https://messaging.example.com', clientId: 'client', token: 'secret' };

describe('Base URL', () => {
	test.each([
		['as it is', 'https://messaging.example.com', 'https://messaging.example.com'],
		['with spaces around', '  https://messaging.example.com \n', 'https://messaging.example.com'],
		[
			'with slashes at the end',
			'https://messaging.example.com///',
			'https://messaging.example.com',
		],
		['with the version', 'https://messaging.example.com/v1', 'https://messaging.example.com'],
		[
			'with the version and a slash',
			'https://messaging.example.com/v1/',
			'https://messaging.example.com',
		],
		['with two versions: one stays', 'https://a.example.com/v1/v1', 'https://a.example.com/v1'],
		['with a path', 'http://localhost:8080/messaging/', 'http://localhost:8080/messaging'],
	])('is taken %s', (_how, entered, expected) => {
		expect(readAccount({ ...GOOD, baseUrl: entered }).baseUrl).toBe(expected);
	});

	test.each([
		'',
		undefined,
		'messaging.example.com',
		'ftp://messaging.example.com',
		'xhttps://messaging.example.com',
		'http://',
		'/v1',
	])('is refused by its name: %s', (baseUrl) => {
		expect(refusalOf(() => readAccount({ ...GOOD, baseUrl }))).toMatch(
			/^'Base URL' .* is not a web address: Enter .* http:\/\/ or https:\/\//,
		);
	});

	test.each([
		'https://messaging.example.com/?x=1',
		'https://messaging.example.com/#x',
		'https://messaging.example.com/#/',
		'https://messaging.example.com/?',
	])('is refused with more than an address: %s', (baseUrl) => {
		expect(refusalOf(() => readAccount({ ...GOOD, baseUrl }))).toMatch(
			/^'Base URL' .* more than an address: Remove/,
		);
	});
});

describe.each([
	['clientId', 'Client ID'],
	['token', 'Token'],
])('%s', (name, field) => {
	test('is taken with every printable ASCII character', () => {
		const printable = Array.from({ length: 95 }, (_, i) => String.fromCharCode(0x20 + i)).join('');
		expect(readAccount({ ...GOOD, [name]: printable })).toHaveProperty(name, printable);
	});

	test('is refused by its name when it is empty', () => {
		for (const value of ['', '  ', undefined]) {
			expect(refusalOf(() => readAccount({ ...GOOD, [name]: value }))).toBe(
				`'${field}' in the credential is empty: Enter the value that the service gave you.`,
			);
		}
	});

	test('is refused by its name, never its value, with any other character in it', () => {
		const anyOther = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
		fc.assert(
			fc.property(
				anyOther.filter((character) => character < ' ' || character > '~'),
				(character) => {
					const value = `Zq8${character}Zq9`;
					const refusal = refusalOf(() => readAccount({ ...GOOD, [name]: value }));
					expect(refusal).toContain(`'${field}'`);
					expect(refusal).toContain('Look for line breaks');
					expect(refusal).not.toContain('Zq');
				},
			),
		);
	});
});
