import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { findNetworkCode } from '../../../../nodes/MessagingAccount/errors/networkCodes';
import { networkError } from '../../../../nodes/MessagingAccount/errors/networkError';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';

const ACCOUNT = readAccount({
	baseUrl: 'https://messaging.example.com/api',
	clientId: 'client-7f3a',
	token: 'token-91c2-5d',
});

test('the network code is found at any depth of the causes', () => {
	const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
	const wrapped = new Error('outer', { cause: new Error('inner', { cause: reset }) });
	expect(findNetworkCode(wrapped)).toBe('ECONNRESET');
	expect(findNetworkCode(new Error('none'))).toBeUndefined();
	expect(findNetworkCode('text')).toBeUndefined();
});

test('the network code is found where older n8n versions have it, and no HTTP status is taken for one', () => {
	const noTls = Object.assign(new Error('SSL: wrong version number'), { httpCode: 'EPROTO' });
	expect(findNetworkCode({ httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode(noTls)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
	expect(findNetworkCode({ httpCode: '500' })).toBeUndefined();
	expect(findNetworkCode({ httpCode: 'ECONNRESET', cause: { code: 'EPIPE' } })).toBe('EPIPE');
});

test('that nothing has left is told from what n8n and TLS throw', () => {
	const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	expect(findNetworkCode(new Error('outer', { cause: blocked }))).toBe('BLOCKED_BY_N8N');
	const noTls = Object.assign(new Error('SSL routines:wrong version number'), { code: 'EPROTO' });
	expect(findNetworkCode(noTls)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
	expect(findNetworkCode(Object.assign(new Error('x'), { code: 'EPROTO' }))).toBe('EPROTO');
});

test('words alone tell it only where there is nothing else, and where they are at the beginning', () => {
	const message = 'The request was blocked because the destination hostname is restricted';
	expect(findNetworkCode({ message })).toBe('BLOCKED_BY_N8N');
	expect(findNetworkCode({ message, code: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode({ message, httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode({ message, cause: { code: 'ECONNRESET' } })).toBe('ECONNRESET');
	expect(findNetworkCode({ message: `Odd: ${message}` })).toBeUndefined();
	expect(findNetworkCode({ name: 'NotSsrfBlockedIpError' })).toBeUndefined();
	expect(findNetworkCode({ message: 'wrong version number', code: 'ECONNRESET' })).toBe(
		'ECONNRESET',
	);
	expect(findNetworkCode({ code: 'ERR_HTTP2_ERROR' })).toBe('ERR_HTTP2_ERROR');
	expect(findNetworkCode({ code: 7 })).toBeUndefined();
	expect(findNetworkCode(null)).toBeUndefined();
});

describe('words', () => {
	test.each([
		[300, 'https://elsewhere.example.com', "'Base URL'"],
		[302, 'https://elsewhere.example.com', "'Base URL'"],
		[399, 'https://elsewhere.example.com', "'Base URL'"],
		[400, 'refused the request', 'Check the parameters'],
		[401, 'refused the credentials', "'Token'"],
		[403, 'refused the credentials', "'Client ID'"],
		[404, 'not found at this address', "'Base URL'"],
		[409, 'refused the request', 'use Get Status to see whether the account is connected'],
		[429, 'Too many requests', 'Wait'],
		[499, 'refused the request', 'Check the parameters'],
		[500, 'could not process', 'is working'],
	])('for status %d say what happened and what to do', (status, happened, advice) => {
		const headers = { location: 'https://elsewhere.example.com/v1/status?token=token-91c2-5d' };
		const failure = httpError({ status, headers, body: '' }, ACCOUNT);
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
		const failure = httpError({ status: 302, headers: { location }, body: '' }, ACCOUNT);
		expect(failure.message).toContain(origin);
	});

	test('show what the service itself says, and how long it asks to wait', () => {
		const body = { error: { message: 'The image is too large' } };
		const headers = { 'retry-after': '7' };
		const failure = httpError({ status: 422, headers, body }, ACCOUNT);
		expect(failure.description).toBe(
			'The service says: “The image is too large”. It asks to wait 7 s. Check the parameters, and use Get Status to see whether the account is connected.',
		);
		expect(failure.retryAfter).toBe(7000);
	});

	test('show a time-out in seconds, as exactly as one would read it', () => {
		const failure = networkError('ETIMEDOUT', undefined, ACCOUNT, 1234);
		expect(failure.message).toBe('The service did not respond within 1.23 s');
	});

	test.each([
		['ECONNREFUSED', 'refused the connection', "Check 'Base URL' in the credential"],
		['ENOTFOUND', 'was not found', "Check 'Base URL' in the credential"],
		['ETIMEDOUT', 'within 2.5 s', "'Timeout'"],
		['ECONNABORTED', 'within 2.5 s', "'Timeout'"],
		['ECONNRESET', 'was lost', "The network reports: ECONNRESET. Check 'Base URL'"],
		['CERT_HAS_EXPIRED', 'certificate', 'The network reports: CERT_HAS_EXPIRED.'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'does not accept HTTPS', 'http instead of https'],
		['BLOCKED_BY_N8N', 'does not allow', 'Ask whoever runs n8n'],
		['ERR_CANCELED', 'canceled', 'No further requests were made.'],
		[undefined, 'No response from', "n8n reports: Odd: ***. Check 'Base URL'"],
	])(
		'for %s say what happened and what to do, and never invite to send again',
		(code, happened, advice) => {
			const failure = networkError(code, new Error(`Odd: ${ACCOUNT.token}`), ACCOUNT, 2500);
			expect(failure.message).toContain(happened);
			expect(failure.description).toContain(advice);
			expect(failure.message + failure.description).not.toMatch(/retry|again/i);
		},
	);
});
