import { readAccount } from '../../../../nodes/MessagingAccount/service/account';
import {
	failureOfNetwork,
	failureOfStatus,
	networkCode,
} from '../../../../nodes/MessagingAccount/service/failures';

const ACCOUNT = readAccount({
	baseUrl: 'https://messaging.example.com/api',
	clientId: 'client-7f3a',
	token: 'token-91c2-5d',
});

test('the network code is found at any depth of the causes', () => {
	const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
	const wrapped = new Error('outer', { cause: new Error('inner', { cause: reset }) });
	expect(networkCode(wrapped)).toBe('ECONNRESET');
	expect(networkCode(new Error('none'))).toBeUndefined();
	expect(networkCode('text')).toBeUndefined();
});

test('the network code is found where older n8n versions have it, and no HTTP status is taken for one', () => {
	const noTls = Object.assign(new Error('SSL: wrong version number'), { httpCode: 'EPROTO' });
	expect(networkCode({ httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(networkCode(noTls)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
	expect(networkCode({ httpCode: '500' })).toBeUndefined();
	expect(networkCode({ httpCode: 'ECONNRESET', cause: { code: 'EPIPE' } })).toBe('EPIPE');
});

test('that nothing has left is told from what n8n and TLS throw', () => {
	const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	expect(networkCode(new Error('outer', { cause: blocked }))).toBe('BLOCKED_BY_N8N');
	const noTls = Object.assign(new Error('SSL routines:wrong version number'), { code: 'EPROTO' });
	expect(networkCode(noTls)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
	expect(networkCode(Object.assign(new Error('x'), { code: 'EPROTO' }))).toBe('EPROTO');
});

test('words alone tell it only where there is nothing else, and where they are at the beginning', () => {
	const message = 'The request was blocked because the destination hostname is restricted';
	expect(networkCode({ message })).toBe('BLOCKED_BY_N8N');
	expect(networkCode({ message, code: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(networkCode({ message, httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(networkCode({ message, cause: { code: 'ECONNRESET' } })).toBe('ECONNRESET');
	expect(networkCode({ message: `Odd: ${message}` })).toBeUndefined();
	expect(networkCode({ name: 'NotSsrfBlockedIpError' })).toBeUndefined();
	expect(networkCode({ message: 'wrong version number', code: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(networkCode({ code: 'ERR_HTTP2_ERROR' })).toBe('ERR_HTTP2_ERROR');
	expect(networkCode({ code: 7 })).toBeUndefined();
	expect(networkCode(null)).toBeUndefined();
});

describe('words', () => {
	test.each([
		[300, 'https://elsewhere.example.com', "'Base URL'"],
		[302, 'https://elsewhere.example.com', "'Base URL'"],
		[399, 'https://elsewhere.example.com', "'Base URL'"],
		[400, 'refused the request', 'Check the parameters'],
		[401, 'refused the credentials', "'Token'"],
		[403, 'refused the credentials', "'Client ID'"],
		[404, 'nothing at this address', "'Base URL'"],
		[409, 'refused the request', 'with Get Status whether the account is connected'],
		[429, 'fewer requests', 'Wait'],
		[499, 'refused the request', 'Check the parameters'],
		[500, 'could not answer', 'working order'],
	])('for status %d say what happened and what to do', (status, happened, advice) => {
		const headers = { location: 'https://elsewhere.example.com/v1/status?token=token-91c2-5d' };
		const failure = failureOfStatus({ status, headers, body: '' }, ACCOUNT);
		expect(failure.message).toContain(happened);
		expect(failure.message).toContain(`(HTTP ${status})`);
		expect(failure.description).toContain(advice);
		expect(failure.httpCode).toBe(String(status));
		expect(failure.message + failure.description).not.toContain(ACCOUNT.token);
	});

	test.each([
		['/elsewhere', 'https://messaging.example.com'],
		[undefined, 'an address it does not name'],
		['', 'an address it does not name'],
		['javascript:alert(1)', 'an address it does not name'],
		['xhttps://example.com', 'an address it does not name'],
		['httpsx://example.com', 'an address it does not name'],
		['http://elsewhere.example.com/a', 'http://elsewhere.example.com,'],
	])('for a redirect to %s name its origin', (location, origin) => {
		const failure = failureOfStatus({ status: 302, headers: { location }, body: '' }, ACCOUNT);
		expect(failure.message).toContain(origin);
	});

	test('show what the service itself says, and how long it asks to wait', () => {
		const body = { error: { message: 'The image is too large' } };
		const headers = { 'retry-after': '7' };
		const failure = failureOfStatus({ status: 422, headers, body }, ACCOUNT);
		expect(failure.description).toBe(
			'The service says: “The image is too large”. It asks to wait 7 s. Check the parameters, and with Get Status whether the account is connected.',
		);
		expect(failure.retryAfter).toBe(7000);
	});

	test('show a time-out in seconds, as exactly as one would read it', () => {
		const failure = failureOfNetwork('ETIMEDOUT', undefined, ACCOUNT, 1234);
		expect(failure.message).toBe('The service did not answer within 1.23 s');
	});

	test.each([
		['ECONNREFUSED', 'refused the connection', "Check 'Base URL' in the credential"],
		['ENOTFOUND', 'cannot be found', "Check 'Base URL' in the credential"],
		['ETIMEDOUT', 'within 2.5 s', "'Timeout'"],
		['ECONNABORTED', 'within 2.5 s', "'Timeout'"],
		['ECONNRESET', 'broke off', "What the network reports: ECONNRESET. Check 'Base URL'"],
		['CERT_HAS_EXPIRED', 'certificate', 'What the network reports: CERT_HAS_EXPIRED.'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'does not speak https', 'http instead of https'],
		['BLOCKED_BY_N8N', 'does not allow', 'whoever runs n8n can allow'],
		['ERR_CANCELED', 'canceled', 'Nothing more was requested.'],
		[undefined, 'got no answer', "What n8n reports: Odd: ***. Check 'Base URL'"],
	])(
		'for %s say what happened and what to do, and never invite to send again',
		(code, happened, advice) => {
			const failure = failureOfNetwork(code, new Error(`Odd: ${ACCOUNT.token}`), ACCOUNT, 2500);
			expect(failure.message).toContain(happened);
			expect(failure.description).toContain(advice);
			expect(failure.message + failure.description).not.toMatch(/retry|again/i);
		},
	);
});
