import fc from 'fast-check';

import { extractApiMessage } from '../../../../nodes/MessagingAccount/errors/apiMessage';
import { toSafeText } from '../../../../nodes/MessagingAccount/shared/redaction';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';

const CREDENTIAL = {
	baseUrl: 'https://messaging.example.com/api',
	clientId: 'client-7f3a',
	token: 'token-91c2-5d',
};
const ACCOUNT = readAccount(CREDENTIAL);

describe('the explanation of the service', () => {
	test.each([
		['a text', 'Too many', 'Too many'],
		['a text of one word', 'Forbidden', 'Forbidden'],
		['message', { message: 'Too many' }, 'Too many'],
		['a field of one word', { message: 'Forbidden' }, 'Forbidden'],
		['a list of one word', { errors: ['Forbidden'] }, 'Forbidden'],
		['message before others', { info: 'Ask later', message: 'Too many' }, 'Too many'],
		['error', { error: 'Too many' }, 'Too many'],
		['a nested one', { error: { code: 7, detail: 'Too many' } }, 'Too many'],
		['a field of any name', { code: 'E7', info: 'Too many' }, 'Too many'],
		['the first of a list', { errors: [{ message: 'Too many' }, { message: 'b' }] }, 'Too many'],
	])('is found in %s', (_where, body, expected) => {
		expect(extractApiMessage(body, ACCOUNT)).toBe(expected);
	});

	test.each([
		['a page', '<html>x</html>'],
		['nothing', ''],
		['blanks', '  '],
		['null', null],
		['a number', { message: 5 }],
		['a single word in a field of another name', { accept: 'application/json' }],
	])('is not made up from %s', (_what, body) => {
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});

	test.each([
		[4, 'Too many'],
		[5, undefined],
	])('is looked for in %d objects within each other: %s', (depth, expected) => {
		let body: unknown = 'Too many';
		for (let i = 0; i < depth; i++) body = i % 2 ? [body] : { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBe(expected);
	});

	test('survives an answer that is nested without end', () => {
		let body: unknown = 'deep';
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});

	test('never holds the client id or the token, nor a part left by the cut', () => {
		fc.assert(
			fc.property(
				fc.string({ maxLength: 320 }),
				fc.constantFrom(ACCOUNT.clientId, ACCOUNT.token),
				fc.string({ maxLength: 20 }),
				(before, secret, after) => {
					const shown = toSafeText(`${before}${secret}${after}`, ACCOUNT);
					expect(shown).not.toContain(secret.slice(0, 6));
					expect(shown.length).toBeLessThanOrEqual(301);
				},
			),
		);
	});

	test('leaves nothing of a secret that begins with the other one', () => {
		const account = readAccount({ ...CREDENTIAL, clientId: 'abc', token: 'abc-def' });
		expect(toSafeText('x abc-def y abc', account)).toBe('x *** y ***');
	});

	test.each([
		['in a URL', 'x=a%2Bb%22c%2Fd%3D&y'],
		['in a URL within URLs', 'x=a%252Bb%2522c%25252Fd%253D&y'],
		['in JavaScript', 'a\\x2bb\\x22c\\x2fd\\x3d'],
		['in JSON', '{"token":"a+b\\"c/d="}'],
		['in JSON with its slashes escaped', '{"token":"a+b\\"c\\/d="}'],
		['in JSON within JSON', '"{\\"token\\":\\"a+b\\\\\\"c/d=\\"}"'],
		['in JSON with code points', '{"token":"a\\u002Bb\\u0022c/d\\u003d"}'],
		['in HTML', '<p>a+b&quot;c/d=</p>'],
		['in HTML with code points', '<p>a&#43;b&#34;c&#047;d&#x3D;</p>'],
		['in HTML with names', '<p>a&plus;b&quot;c/d&equals;</p>'],
		['without the spaces around it', 'token a+b"c/d= is wrong'],
		['in capitals', 'A+B"C/D='],
	])('has no secret in it that is repeated %s', (_how, text) => {
		const shown = toSafeText(text, readAccount({ ...CREDENTIAL, token: ' a+b"c/d= ' }));
		expect(shown).toContain('***');
		expect(shown).not.toMatch(/c\W*d|d\W*=/i);
	});

	test('has no secret in it with a space that a form makes a plus', () => {
		expect(
			toSafeText('x=my+secret+words', readAccount({ ...CREDENTIAL, token: 'my secret words' })),
		).toBe('x=***');
	});

	test('has all that only looks like a secret of spaces', () => {
		expect(toSafeText('+'.repeat(ACCOUNT.token.length), readAccount(CREDENTIAL))).toMatch(/^\++$/);
	});

	test('is made in no time from a text of backslashes', () => {
		const text = '\\'.repeat(100_000);
		expect(toSafeText(text, ACCOUNT)).toHaveLength(301);
	});

	test.each([
		[300, ''],
		[301, '…'],
	])('is cut where it is too long: %d', (length, end) => {
		expect(toSafeText('x'.repeat(length), ACCOUNT)).toBe(`${'x'.repeat(300)}${end}`);
	});

	test('has no space around it', () => {
		expect(toSafeText('\n a \n', ACCOUNT)).toBe('a');
	});

	test('has no control characters', () => {
		expect(toSafeText('a\u0000b\u001b[31mc\r\nd', ACCOUNT)).toBe('a b [31mc d');
	});
});
