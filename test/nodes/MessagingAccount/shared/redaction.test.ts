import fc from 'fast-check';

import { toSafeText } from '../../../../nodes/MessagingAccount/shared/redaction';
import { STEP_LENGTH } from '../../../../nodes/MessagingAccount/shared/secretFinder';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import { ACCOUNT, CREDENTIAL_FIELDS } from '../../../support/account';

describe('a text that is safe to show', () => {
	test('never contains the client ID or the token, nor a part left by the shortening', () => {
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

	test('contains nothing of a secret that begins with the other one', () => {
		const account = readAccount({ ...CREDENTIAL_FIELDS, clientId: 'abc', token: 'abc-def' });
		expect(toSafeText('x abc-def y abc', account)).toBe('x *** y ***');
	});

	test.each([
		['in a URL', 'x=a%2Bb%22c%2Fd%3D&y'],
		['in a URL within URLs', 'x=a%252Bb%2522c%25252Fd%253D&y'],
		['in JavaScript', 'a\\x2bb\\x22c\\x2fd\\x3d'],
		['in JSON', '{"token":"a+b\\"c/d="}'],
		['in JSON with escaped slashes', '{"token":"a+b\\"c\\/d="}'],
		['in JSON within JSON', '"{\\"token\\":\\"a+b\\\\\\"c/d=\\"}"'],
		['in JSON with Unicode escapes', '{"token":"a\\u002Bb\\u0022c/d\\u003d"}'],
		['in HTML', '<p>a+b&quot;c/d=</p>'],
		['in HTML with numeric entities', '<p>a&#43;b&#34;c&#047;d&#x3D;</p>'],
		['in HTML with named entities', '<p>a&plus;b&quot;c/d&equals;</p>'],
		['without the spaces around it', 'token a+b"c/d= is wrong'],
		['in capitals', 'A+B"C/D='],
	])('masks a secret that is repeated %s', (_how, text) => {
		const shown = toSafeText(text, readAccount({ ...CREDENTIAL_FIELDS, token: ' a+b"c/d= ' }));
		expect(shown).toContain('***');
		expect(shown).not.toMatch(/c\W*d|d\W*=/i);
	});

	test('masks a secret whose spaces a form encodes as plus signs', () => {
		expect(
			toSafeText(
				'x=my+secret+words',
				readAccount({ ...CREDENTIAL_FIELDS, token: 'my secret words' }),
			),
		).toBe('x=***');
	});

	test('does not mask plus signs as if they were a secret of spaces', () => {
		expect(toSafeText('+'.repeat(ACCOUNT.token.length), readAccount(CREDENTIAL_FIELDS))).toMatch(
			/^\++$/,
		);
	});

	test('is created quickly from many backslashes', () => {
		const text = '\\'.repeat(100_000);
		expect(toSafeText(text, ACCOUNT)).toHaveLength(301);
	});

	test.each([
		[300, ''],
		[301, '…'],
	])('is shortened if it is too long: %d', (length, end) => {
		expect(toSafeText('x'.repeat(length), ACCOUNT)).toBe(`${'x'.repeat(300)}${end}`);
	});

	test('is trimmed', () => {
		expect(toSafeText('\n a \n', ACCOUNT)).toBe('a');
	});

	test.each(['tok\u0000en-91c2-5d', 'to\nken-91c2-5d', 'token\u001b-\r\n91c2-5d'])(
		'contains no secret that control characters hide: %j',
		(text) => {
			expect(toSafeText(`is ${text} ok`, ACCOUNT)).toBe('is *** ok');
		},
	);

	test('takes no more time than one step', () => {
		const mask = jest.spyOn(ACCOUNT.secrets.inText[0], 'mask');
		toSafeText('x'.repeat(2 * STEP_LENGTH), ACCOUNT);
		expect(mask.mock.calls[0][0]).toHaveLength(STEP_LENGTH);
	});

	test('contains no control characters', () => {
		expect(toSafeText('a\u0000b\u001b[31mc\r\nd', ACCOUNT)).toBe('a b [31mc d');
	});
});
