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

	test('contains the message of the service, and the delay that it asks for', () => {
		const body = { error: { message: 'The image is too large' } };
		const headers = { 'retry-after': '7' };
		const error = httpError({ status: 422, headers, body }, ACCOUNT);
		expect(error.description).toBe(
			'The service says: “The image is too large”. The service asks to wait 7 s. Check the parameters, and use Get Status to see whether the account is connected.',
		);
		expect(error.retryAfter).toBe(7000);
	});
});
