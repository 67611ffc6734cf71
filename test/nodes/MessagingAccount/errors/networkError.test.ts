import { networkError } from '../../../../nodes/MessagingAccount/errors/networkError';
import { ACCOUNT } from '../../../support/account';

test('shows a timeout in seconds, with three significant digits', () => {
	const error = networkError('ETIMEDOUT', undefined, ACCOUNT, 1234);
	expect(error.message).toBe('The service did not respond within 1.23 s');
});

test.each([
	['ECONNREFUSED', 'refused the connection', "Check 'Base URL' in the credential"],
	['ENOTFOUND', 'was not found', "Check 'Base URL' in the credential"],
	['ETIMEDOUT', 'within 2.5 s', "'Timeout'"],
	['ECONNABORTED', 'within 2.5 s', "'Timeout'"],
	['ECONNRESET', 'was lost', "The network reports: ECONNRESET. Check 'Base URL'"],
	['CERT_HAS_EXPIRED', 'certificate', 'The network reports: CERT_HAS_EXPIRED.'],
	[
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'was lost',
		'The network reports: ERR_SSL_WRONG_VERSION_NUMBER.',
	],
	['NO_TLS', 'does not accept HTTPS', 'should start with http:'],
	['BLOCKED_BY_N8N', 'does not allow', 'Ask whoever runs n8n'],
	['ERR_CANCELED', 'canceled', 'No further requests were made.'],
	[undefined, 'No response from', "n8n reports: Odd: ***. Check 'Base URL'"],
])(
	'for %s says what happened and what to do, and never invites to resend',
	(code, happened, advice) => {
		const error = networkError(code, new Error(`Odd: ${ACCOUNT.token}`), ACCOUNT, 2500);
		expect(error.message).toContain(happened);
		expect(error.description).toContain(advice);
		expect(error.message + error.description).not.toMatch(/retry|again/i);
	},
);
