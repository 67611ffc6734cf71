import {
	createSecrets,
	redactItemValue,
	toSafeText,
} from '../../../../nodes/MessagingAccount/secrets/account';
import { STEP_LENGTH } from '../../../../nodes/MessagingAccount/n8n/yieldToEventLoop';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import { ACCOUNT, CREDENTIAL_FIELDS } from '../../../support/account';
import { caseCount } from '../../../support/testSize';
import fc from '../../../support/fastCheck';

/** What services write a text with, as libraries do it. Each encodes the whole text. */
const ENCODERS: Record<string, (text: string) => string> = {
	json: (text) => JSON.stringify(text),
	/** PHP's `json_encode`. */
	jsonOfPhp: (text) => JSON.stringify(text).replaceAll('/', '\\/'),
	/** The same with all `JSON_HEX_` options. */
	jsonHexOfPhp: (text) => `"${escapeJson(text, /\\"|[<>&']/g).replaceAll('/', '\\/')}"`,
	/** .NET's `JsonSerializer`. */
	jsonOfDotNet: (text) => `"${escapeJson(text, /\\"|[<>&'+`]/g)}"`,
	uri: encodeURIComponent,
	/** RFC 3986. */
	percent: (text) => encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${hexOf(c)}`),
	form: (text) => new URLSearchParams({ q: text }).toString(),
	html: (text) => text.replace(/[&<>"']/g, (c) => `&${HTML[c]};`),
	/** PHP's `htmlspecialchars`. */
	htmlOfPhp: (text) => text.replace(/[&<>"']/g, (c) => (c === "'" ? '&#039;' : `&${HTML[c]};`)),
	htmlDecimal: (text) => text.replace(/[^a-z\d ]/gi, (c) => `&#${c.charCodeAt(0)};`),
	/** OWASP's encoder. */
	htmlHex: (text) => text.replace(/[^a-z\d ]/gi, (c) => `&#x${hexOf(c).toUpperCase()};`),
};

const HTML: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

const hexOf = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0');

function escapeJson(text: string, escaped: RegExp): string {
	const json = JSON.stringify(text).slice(1, -1);
	return json.replace(escaped, (c) => `\\u00${hexOf(c.at(-1)!).toUpperCase()}`);
}

const toBase64 = (text: string): string => Buffer.from(text).toString('base64');

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

	test.each([
		['no password as it is written', 'user:p%40sswor', 'p%40sswor', '***'],
		['no password as it is meant', 'user:p%40sswor', 'p@sswor', '***'],
		['no login as in HTTP Basic', 'user:p%40sswor', toBase64('user:p@sswor'), '***'],
		['no password that is no encoding', 'user:100%sure', '100%sure', '***'],
		['no token as it is meant, whatever spaces HTTP drops', 'user:p', 'a+b/c token', '***'],
		['no password without a user', ':password', 'password', '***'],
		['a user without a password', 'user', 'user', 'user'],
	])('contains of a login in Base URL, or an encoded token, %s', (_, login, repeated, shown) => {
		const baseUrl = `https://${login}@messaging.example.com`;
		const account = readAccount({ ...CREDENTIAL_FIELDS, token: ' a%2Bb/c%20token ', baseUrl });
		expect(toSafeText(`x ${repeated} y`, account)).toBe(`x ${shown} y`);
		expect(redactItemValue(`x ${repeated} y`, account.secrets)).toBe(`x ${shown} y`);
	});

	test.each([
		['is trimmed', '\n a \n', 'a'],
		['may have 300 characters', 'x'.repeat(300), 'x'.repeat(300)],
		['is shortened', 'x'.repeat(301), `${'x'.repeat(300)}…`],
		['contains no control characters', 'a\u0000b\u001b[31mc\r\nd', 'a b [31mc d'],
	])('%s', (_what, text, shown) => expect(toSafeText(text, ACCOUNT)).toBe(shown));

	test('takes no more time than one step', () => {
		const mask = jest.spyOn(ACCOUNT.secrets.inErrors, 'mask');
		toSafeText('x'.repeat(2 * STEP_LENGTH), ACCOUNT);
		expect(mask.mock.calls[0][0]).toHaveLength(STEP_LENGTH);
	});
});

describe('what a service repeats', () => {
	const secretArbitrary = fc
		.stringMatching(/^[\w!"#$%&'()+,./:;<=>?@[\\\]^`{|}~ -]{8,40}$/)
		.map((text) => text.trim())
		.filter(({ length }) => length >= 8);
	const contextArbitrary = fc.constantFrom(...`| |{"token":"|","x":1}|<b>|a=1&b=|'.`.split('|'));
	const [inJson, inHtml, inUrl] = [/^json/, /^html/, /^(uri|percent|form)$/].map((kind) =>
		fc.constantFrom(...Object.keys(ENCODERS).filter((name) => kind.test(name))),
	);
	const encodersArbitrary = fc.oneof(
		...Object.keys(ENCODERS).map((one) => fc.constant([one])),
		// Nobody writes all characters as numbers twice.
		...Object.keys(ENCODERS)
			.filter((one) => !/^html(Decimal|Hex)$/.test(one))
			.map((one) => fc.constantFrom([one, one], [one, one, one])),
		fc.tuple(inJson, inHtml),
		fc.tuple(inHtml, inJson),
		fc.tuple(fc.oneof(inJson, inHtml), inUrl),
	);
	const echoArbitrary = fc.record({
		token: secretArbitrary,
		clientId: secretArbitrary,
		before: contextArbitrary,
		after: contextArbitrary,
		form: fc.constantFrom('token', 'token', 'tokenInBase64', 'tokenInBase64Url', 'both'),
		encoders: encodersArbitrary,
	});

	test('is masked but for one in a hundred of these tokens, most of which are special characters, with an encoding up to three times, or one in another', () => {
		const count = caseCount(4000);
		const missed = fc.sample(echoArbitrary, count).filter((echo) => {
			const { clientId, token } = echo;
			const repeated = {
				token,
				tokenInBase64: toBase64(token),
				tokenInBase64Url: Buffer.from(token).toString('base64url'),
				both: toBase64(`${clientId}:${token}`),
			}[echo.form]!;
			const text = echo.encoders.reduce(
				(encoded, encoder) => ENCODERS[encoder](encoded),
				`${echo.before}${repeated}${echo.after}`,
			);
			return !String(redactItemValue(text, createSecrets([clientId, token]))).includes('***');
		});
		expect(missed.slice(Math.floor(count / 100))).toEqual([]);
	});

	test.each([
		['Basic Y2xpZW50LTdmM2E6dG9rZW4tOTFjMg==', ['client-7f3a', 'token-91c2'], 'Basic ***=='],
		['dG9rZW4tOTFjMg== and Y2xpZW50LTdmM2E', ['client-7f3a', 'token-91c2'], '***== and ***'],
		['fn5+Pz8/fn5+ and fn5-Pz8_fn5-', ['x', '~~~???~~~'], '*** and ***'],
		['YWJj YWJjZA YWJjZA4', ['abc', 'abcd'], 'YWJj *** YWJjZA4'],
		['bGluay10b2tlbg', ['client-7f3a', 'token-91c2', 'link-token'], '***'],
	])('is masked in base64: %s', (text, secrets, expected) => {
		expect(redactItemValue(text, createSecrets(secrets))).toBe(expected);
		expect(toSafeText(text, { secrets: createSecrets(secrets) })).toBe(expected);
	});

	test('is masked in errors, but not in items, if it is short', () => {
		const secrets = createSecrets(['abc', 'x']);
		expect(toSafeText('is abc x', { secrets })).toBe('is *** ***');
		expect(redactItemValue('is abc x', secrets)).toBe('is abc x');
	});
});
