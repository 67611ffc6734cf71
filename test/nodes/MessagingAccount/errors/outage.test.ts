import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { isOutage } from '../../../../nodes/MessagingAccount/errors/outage';
import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { createSecrets } from '../../../../nodes/MessagingAccount/secrets/account';

const ACCOUNT = {
	baseUrl: 'https://messaging.example.com',
	clientId: 'client',
	token: 'secret',
	secrets: createSecrets(['client', 'secret']),
};
const ofStatus = (status: number, body: unknown = '') =>
	isOutage(httpError({ status, headers: {}, body }, ACCOUNT));
const ofCode = (code: string | undefined) =>
	isOutage(new ApiError('No', { description: '', result: { code } }));

test.each([401, 402, 403, 405, 407, 408, 429, 500, 502, 503, 504, 302, 303, 308])(
	'HTTP %d says something of the service',
	(status) => {
		expect(ofStatus(status)).toBe(true);
		expect(ofStatus(status, { message: 'The number is not known' })).toBe(true);
	},
);

test.each([400, 404, 409, 413, 415, 422])('HTTP %d says something of the item', (status) => {
	expect(ofStatus(status)).toBe(false);
	expect(ofStatus(status, { message: 'The number is not known' })).toBe(false);
});

test.each([
	[404, { message: 'Session not found' }],
	[400, { error: 'The account is not connected' }],
	[422, 'Please scan the QR code'],
	[404, '<html><title>404 Not Found</title></html>'],
	[400, '<!doctype html><body>Bad Request</body>'],
])('HTTP %d with the body %j says something of the service', (status, body) => {
	expect(ofStatus(status, body)).toBe(true);
});

test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'ETIMEDOUT', 'CERT_HAS_EXPIRED', undefined])(
	'a request that ended with the code %s says something of the service',
	(code) => {
		expect(ofCode(code)).toBe(true);
	},
);

test('Stop says nothing of the service', () => {
	expect(ofCode('ERR_CANCELED')).toBe(false);
});

test('a response that cannot be used says something of the service', () => {
	expect(isOutage(new ApiError('No', { description: '', result: 'unusable' }))).toBe(true);
});
