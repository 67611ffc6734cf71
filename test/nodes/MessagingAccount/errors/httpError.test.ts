import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { ACCOUNT } from '../../../support/account';

const UNNAMED = 'The service redirects to an address it does not name';

test.each([
	['/elsewhere', 'https://messaging.example.com'],
	[undefined, UNNAMED],
	['', UNNAMED],
	['javascript:alert(1)', UNNAMED],
	['xhttps://example.com', UNNAMED],
	['httpsx://example.com', UNNAMED],
	['http://elsewhere.example.com/a', 'http://elsewhere.example.com,'],
])('with a redirect to %s names its origin', (location, origin) => {
	const error = httpError({ status: 302, headers: { location }, body: '' }, ACCOUNT);
	expect(error.message).toContain(origin);
});

test('contains the delay that the service asks for', () => {
	const body = { error: { message: 'The image is too large' } };
	const error = httpError({ status: 422, headers: { 'retry-after': '7' }, body }, ACCOUNT);
	expect(error.description).toBe(
		'The service refused the request and gave this reason. The service asks n8n to wait 7 s.',
	);
	expect(error.retryAfter).toBe(7000);
});

const LONG = 'The image is too large for this account. '.repeat(4).trim();

test.each([
	['behind its first sentence', LONG, 'The image is too large for this account'],
	['behind a word', LONG.replace(/\./g, ','), /large for …$/],
	['behind a line', `One line\n${LONG}`, /^One line The image is too large for this account$/],
])('has the start of a long reason, cut %s, as its message', (_where, reason, message) => {
	const error = httpError({ status: 422, headers: {}, body: { reason } }, ACCOUNT);
	const [, text] = /^(.*) \(HTTP 422\)$/.exec(error.message)!;
	expect(text).toMatch(message);
	expect(error.description).toBe(
		`The service refused the request and gave this reason: “${reason.replace('\n', ' ')}”.`,
	);
});
