import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { ACCOUNT } from '../../../support/account';

describe('the error for an HTTP response', () => {
	test.each([
		[300, 'https://elsewhere.example.com', "'Base URL'"],
		[302, 'https://elsewhere.example.com', "'Base URL'"],
		[303, 'https://elsewhere.example.com', "'Base URL'"],
		[304, 'did not respond as expected', 'is working'],
		[399, 'https://elsewhere.example.com', "'Base URL'"],
		[400, 'refused the request', 'Check the parameters'],
		[401, 'refused the credentials', "'Token'"],
		[403, 'refused the credentials', "'Client ID'"],
		[404, 'found nothing at this address', "'Base URL'"],
		[407, "n8n's proxy requires a login", 'to the address in HTTP_PROXY or HTTPS_PROXY'],
		[408, 'did not complete the request', 'Check the parameters'],
		[409, 'did not complete the request', 'use Get Status to see whether the account is connected'],
		[422, 'refused the request', 'use Get Status to see whether the account is connected'],
		[429, 'Too many requests', 'Wait'],
		[498, 'refused the request', 'Check the parameters'],
		[499, 'did not complete the request', 'Check the parameters'],
		[199, 'did not respond as expected', 'is working'],
		[500, 'did not respond as expected', 'is working'],
	])('with status %d says what happened and what to do', (status, happened, advice) => {
		const headers = { location: 'https://elsewhere.example.com/v1/status?token=token-91c2-5d' };
		const error = httpError({ status, headers, body: '' }, ACCOUNT);
		expect(error.message).toContain(happened);
		expect(error.message).toContain(`(HTTP ${status})`);
		expect(error.description).toContain(advice);
		expect(error.httpCode).toBe(String(status));
		expect(error.message + error.description).not.toContain(ACCOUNT.token);
	});

	test('with status 403, and not with 401, considers a proxy', () => {
		const describe = (status: number) => httpError({ status, headers: {}, body: '' }, ACCOUNT);
		expect(describe(403).description).toMatch(
			/credential\. If n8n uses a proxy, it may be the proxy that refuses this address\.$/,
		);
		expect(describe(401).description).not.toContain('proxy');
	});

	test.each([
		['/elsewhere', 'https://messaging.example.com'],
		[undefined, 'an address it does not name'],
		['', 'an address it does not name'],
		['javascript:alert(1)', 'an address it does not name'],
		['xhttps://example.com', 'an address it does not name'],
		['httpsx://example.com', 'an address it does not name'],
		['http://elsewhere.example.com/a', 'http://elsewhere.example.com,'],
	])('with a redirect to %s names its origin', (location, origin) => {
		const error = httpError({ status: 302, headers: { location }, body: '' }, ACCOUNT);
		expect(error.message).toContain(origin);
	});

	test.each([
		[400, 'The service refused the request and gave this reason.'],
		[409, 'The service did not complete the request and gave this reason.'],
		[422, 'The service refused the request and gave this reason.'],
		[500, 'The service did not respond as expected and gave this reason.'],
		[503, 'The service did not respond as expected and gave this reason.'],
	])('with status %d gives the short reason of the service first', (status, description) => {
		const body = { error: { message: 'The image cannot be read.' } };
		const error = httpError({ status, headers: {}, body }, ACCOUNT);
		expect(error.message).toBe(`The image cannot be read (HTTP ${status})`);
		expect(error.description).toBe(description);
	});

	test.each([
		['Not now …', 'Not now …'],
		['Not now...', 'Not now...'],
		['Not now!', 'Not now!'],
		[`Blocked ${ACCOUNT.token}.`, 'Blocked ***'],
	])('%s becomes the message %s', (reason, message) => {
		const error = httpError({ status: 422, headers: {}, body: { reason } }, ACCOUNT);
		expect(error.message).toBe(`${message} (HTTP 422)`);
	});

	test('contains the delay that the service asks for', () => {
		const body = { error: { message: 'The image is too large' } };
		const headers = { 'retry-after': '7' };
		const error = httpError({ status: 422, headers, body }, ACCOUNT);
		expect(error.description).toBe(
			'The service refused the request and gave this reason. The service asks to wait 7 s.',
		);
		expect(error.retryAfter).toBe(7000);
	});

	const LONG = 'The image is too large for this account. '.repeat(4).trim();
	const REDIRECT = 'The service redirects to an address it does not name';

	test.each([
		[422, 'Bad Request', 'The service refused the request', 'Check the parameters, and use Get'],
		[500, 'E_7', 'The service did not respond as expected', 'Check that the service is working.'],
		[401, 'Unauthorized', 'The service refused the credentials', "Check 'Client ID' and 'Token'"],
		[404, 'NOT_FOUND', 'The service found nothing at this address', "Check 'Base URL'"],
		[307, 'It has moved', REDIRECT, 'The client'],
		[407, 'No user was given', "n8n's proxy requires a login", 'Ask whoever runs n8n'],
	])('with status %d quotes what is no reason for it: %s', (status, text, message, advice) => {
		const error = httpError({ status, headers: {}, body: { message: text } }, ACCOUNT);
		expect(error.message.startsWith(message)).toBe(true);
		expect(error.description.startsWith(`The service says: “${text}”. ${advice}`)).toBe(true);
	});

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
});
