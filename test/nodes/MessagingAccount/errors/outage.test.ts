import type { RequestResult } from '../../../../nodes/MessagingAccount/errors/classifyResult';
import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { isOutage, isOutageForAll } from '../../../../nodes/MessagingAccount/errors/outage';
import { httpError } from '../../../../nodes/MessagingAccount/errors/httpError';
import { ACCOUNT } from '../../../support/account';

const ofStatus = (status: number, body: unknown = '') =>
	isOutage(httpError({ status, headers: {}, body }, ACCOUNT));
const ofResult = (result: RequestResult) => isOutage(new ApiError('', { description: '', result }));

const OF_SERVICE = [
	401, 402, 403, 405, 406, 407, 408, 416, 419, 421, 429, 440, 498, 500, 502, 503, 504, 302, 303,
	308,
];
const OF_ITEM = [400, 404, 409, 410, 412, 413, 415, 418, 422];

test.each([...OF_SERVICE, ...OF_ITEM])('HTTP %d tells of the service or the item', (status) => {
	for (const body of ['', { message: 'The number is not known' }])
		expect(ofStatus(status, body)).toBe(OF_SERVICE.includes(status));
});

test.each([
	[404, { message: 'Session not found' }],
	[400, { error: 'The account is not connected' }],
	[404, '<html><title>404 Not Found</title></html>'],
	[404, '<meta charset=utf-8><title>404 Not Found</title>'],
])('HTTP %d with the body %j says something of the service', (status, body) => {
	expect(ofStatus(status, body)).toBe(true);
});

test.each([
	[401, '', false],
	[429, '', false],
	[403, '<html></html>', true],
	[500, { message: 'The account is not connected' }, false],
	[502, '', true],
	[422, '', false],
])('HTTP %d with the body %j is of all accounts: %s', (status, body, expected) => {
	expect(isOutageForAll(httpError({ status, headers: {}, body }, ACCOUNT))).toBe(expected);
});

test('no response, or one that cannot be used, says something of the service, unless it was stopped', () => {
	const codes = ['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'ETIMEDOUT', 'CERT_HAS_EXPIRED'];
	for (const code of [...codes, undefined]) expect(ofResult({ code })).toBe(true);
	expect(ofResult('unusable')).toBe(true);
	expect(ofResult({ code: 'ERR_CANCELED' })).toBe(false);
});
