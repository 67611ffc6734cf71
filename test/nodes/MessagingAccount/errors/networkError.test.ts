import { networkError } from '../../../../nodes/MessagingAccount/errors/networkError';
import { ACCOUNT } from '../../../support/account';

test.each<[string | undefined, string | RegExp, string | RegExp]>([
	['ECONNREFUSED', 'refused the connection', "Check 'Base URL' in the credential"],
	['ENOTFOUND', 'was not found', /^Check 'Base URL' in the credential, .* be in one network\.$/],
	['ETIMEDOUT', 'within 1.23 s', "'Timeout (Milliseconds)'"],
	['ECONNRESET', 'was lost before the service responded', "If this happens each time, check 'Base"],
	['CERT_HAS_EXPIRED', 'certificate', 'This one has expired.'],
	['CERT_NOT_YET_VALID', 'certificate', 'This one is not valid yet.'],
	['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', 'This one is for another address.'],
	['CERT_REVOKED', 'certificate', 'This one was revoked.'],
	['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', 'This one has an issuer that n8n does not know.'],
	['NO_SUCH_NAME', 'has no certificate for this name', "Check the host in 'Base URL'"],
	['EAI_FAIL', 'was not found', "Check 'Base URL' in the credential"],
	['CERT_REJECTED', 'certificate', /with NODE_EXTRA_CA_CERTS\.$/],
	['ERR_SSL_WRONG_VERSION_NUMBER', 'was lost', "ask the service's operator"],
	['NO_HANDSHAKE', 'found no common TLS version or cipher', 'to offer TLS 1.2 or 1.3.'],
	['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'wants a client certificate', 'n8n has none'],
	['NOT_SECURED', 'closed the connection before it was encrypted', "Check 'Base URL'"],
	['NO_TLS', 'does not accept HTTPS', 'should start with http:'],
	['BLOCKED_BY_N8N', 'does not allow', /IP_RANGES, or its name in N8N_SSRF_ALLOWED_HOSTNAMES\.$/],
	['HPE_INVALID_CONSTANT', 'did not respond in HTTP', 'check the port'],
	['HPE_HEADER_OVERFLOW', 'are too long', 'fewer cookies'],
	['HPE_UNEXPECTED_CONTENT_LENGTH', /^The response of \S+ is not valid HTTP$/, 'a proxy in front'],
	['ERR_CANCELED', 'canceled', 'No further requests were made.'],
	[undefined, 'No response from', /^n8n reports: Odd: \*\*\*\. Check 'Base URL'/],
])('for %s says what happened, and never invites to resend', (code, happened, advice) => {
	const error = networkError(code, new Error(`Odd: ${ACCOUNT.token}`), ACCOUNT, 1234);
	expect(error.message).toMatch(happened);
	expect(error.description).toMatch(advice);
	expect(error.message + error.description).not.toMatch(/retry|again|…/i);
	// n8n replaces texts that contain a network code.
	if (code) expect(error.message + error.description).not.toContain(code);
});

test.each([
	['http://localhost:3000', true],
	['http://127.0.0.1', true],
	['http://[::1]:3000', true],
	['http://10.0.0.5', false],
	['http://messaging:3000', false],
])('a refused connection to %s names Docker: %j', (baseUrl, isNamed) => {
	const { description } = networkError('ECONNREFUSED', new Error(), { ...ACCOUNT, baseUrl }, 1);
	expect(description.endsWith('of the service, e.g. http://messaging:3000.')).toBe(isNamed);
});
