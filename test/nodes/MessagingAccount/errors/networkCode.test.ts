import { findNetworkCode } from '../../../../nodes/MessagingAccount/errors/networkCode';

test('finds the network code at any depth of causes', () => {
	const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
	const wrapped = new Error('outer', { cause: new Error('inner', { cause: reset }) });
	expect(findNetworkCode(wrapped)).toBe('ECONNRESET');
	expect(findNetworkCode(new Error('none'))).toBeUndefined();
	expect(findNetworkCode('text')).toBeUndefined();
});

test('finds the network code where older n8n versions put it, and does not mistake an HTTP status for one', () => {
	const noTls = Object.assign(new Error('write EPROTO x: wrong version number\n'), {
		httpCode: 'EPROTO',
	});
	expect(findNetworkCode({ httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode(noTls)).toBe('NO_TLS');
	expect(findNetworkCode({ httpCode: '500' })).toBeUndefined();
	expect(findNetworkCode({ httpCode: 'ECONNRESET', cause: { code: 'EPIPE' } })).toBe('EPIPE');
});

test('recognizes requests that n8n blocked, or that failed for lack of TLS', () => {
	const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
	expect(findNetworkCode(new Error('outer', { cause: blocked }))).toBe('BLOCKED_BY_N8N');
	const noTls = Object.assign(new Error('write EPROTO x\nSSL routines:wrong version number'), {
		code: 'EPROTO',
	});
	expect(findNetworkCode(noTls)).toBe('NO_TLS');
	for (const message of ['x', 'wrong version number', 'read EPROTO x: wrong version number']) {
		expect(findNetworkCode({ message, code: 'EPROTO' })).toBe('EPROTO');
	}
});

test('relies on the message only if it starts with the known text and there is nothing else', () => {
	const message = 'The request was blocked because the destination hostname is restricted';
	expect(findNetworkCode({ message })).toBe('BLOCKED_BY_N8N');
	expect(findNetworkCode({ message, code: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode({ message, httpCode: 'ECONNRESET' })).toBe('ECONNRESET');
	expect(findNetworkCode({ message, cause: { code: 'ECONNRESET' } })).toBe('ECONNRESET');
	expect(findNetworkCode({ message: `Odd: ${message}` })).toBeUndefined();
	expect(findNetworkCode({ name: 'NotSsrfBlockedIpError' })).toBeUndefined();
	for (const code of ['ECONNRESET', 'ERR_SSL_WRONG_VERSION_NUMBER']) {
		expect(findNetworkCode({ message: 'write EPROTO: wrong version number', code })).toBe(code);
	}
	expect(findNetworkCode({ code: 'ERR_HTTP2_ERROR' })).toBe('ERR_HTTP2_ERROR');
	expect(findNetworkCode({ code: 7 })).toBeUndefined();
	expect(findNetworkCode(null)).toBeUndefined();
});
