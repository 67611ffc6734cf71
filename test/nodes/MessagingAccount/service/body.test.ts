import fc from 'fast-check';

import { readAccount } from '../../../../nodes/MessagingAccount/service/account';
import { fitForItems, parseBody } from '../../../../nodes/MessagingAccount/service/body';
import { ServiceFailure } from '../../../../nodes/MessagingAccount/service/failures';

const CREDENTIAL = {
	baseUrl: 'https://a.example.com',
	clientId: '491512345678',
	token: 'token-91c2',
};
const ACCOUNT = readAccount(CREDENTIAL);

test('JSON is parsed, anything else stays text', () => {
	expect(parseBody('{"a": [1]}')).toEqual({ a: [1] });
	expect(parseBody('{"a": [1')).toBe('{"a": [1');
	expect(parseBody('')).toBe('');
});

describe('what goes into items', () => {
	test('is untouched where no secret is in it', () => {
		fc.assert(
			fc.property(fc.json(), (text) => {
				fc.pre(!text.includes('__proto__'));
				expect(fitForItems(JSON.parse(text), ACCOUNT)).toEqual(JSON.parse(text));
			}),
		);
	});

	test.each([
		['a text', { a: 'is token-91c2 ok' }, { a: 'is *** ok' }],
		['a list', ['TOKEN-91C2'], ['***']],
		['a field name', { 'x-token-91c2': 1 }, { 'x-***': 1 }],
		['a number', { from: 491512345678 }, { from: '***' }],
	])('has no secret in %s', (_where, body, expected) => {
		expect(fitForItems(body, ACCOUNT)).toEqual(expected);
	});

	test.each([
		['as a word of its own', { a: 'id 42 here' }, { a: 'id *** here' }],
		['not within a word', { a: 'x42y 142 a/42+b' }, { a: 'x42y 142 a/42+b' }],
		['not as a number', { count: 42 }, { count: 42 }],
	])('a short secret counts %s', (_how, body, expected) => {
		expect(fitForItems(body, readAccount({ ...CREDENTIAL, clientId: '42' }))).toEqual(expected);
	});

	test('has no field named __proto__', () => {
		const body = fitForItems(parseBody('{"a": 1, "__proto__": {"b": 2}}'), ACCOUNT);
		expect(body).toEqual({ a: 1 });
		expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
	});

	test.each([
		[100, false],
		[101, true],
		[100_000, true],
	])('is at most 100 deep: %d is refused: %s', (depth, isRefused) => {
		const body = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown;
		if (isRefused) expect(() => fitForItems(body, ACCOUNT)).toThrow(ServiceFailure);
		else expect(fitForItems(body, ACCOUNT)).toBe(body);
	});
});
