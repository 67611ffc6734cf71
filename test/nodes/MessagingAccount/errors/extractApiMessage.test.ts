import { extractApiMessage } from '../../../../nodes/MessagingAccount/errors/extractApiMessage';
import { ACCOUNT } from '../../../support/account';

describe('the message of the service', () => {
	test.each([
		['a text', 'Too many', 'Too many'],
		['a text of one word', 'Forbidden', 'Forbidden'],
		['message', { message: 'Too many' }, 'Too many'],
		['a field of one word', { message: 'Forbidden' }, 'Forbidden'],
		['a list of one word', { errors: ['Forbidden'] }, 'Forbidden'],
		['message before other fields', { info: 'Ask later', message: 'Too many' }, 'Too many'],
		['error', { error: 'Too many' }, 'Too many'],
		['a nested field', { error: { code: 7, detail: 'Too many' } }, 'Too many'],
		['a field of any name', { code: 'E7', info: 'Too many' }, 'Too many'],
		[
			'each entry of a list',
			{ errors: [{ message: 'Too many' }, { message: 'By far.' }] },
			'Too many; By far.',
		],
	])('is found in %s', (_where, body, expected) => {
		expect(extractApiMessage(body, ACCOUNT)?.text).toBe(expected);
	});

	test.each([
		['a web page', '<html>x</html>'],
		['an empty text', ''],
		['blanks', '  '],
		['null', null],
		['a number', { message: 5 }],
		['a single word in a field of another name', { accept: 'application/json' }],
	])('is not taken from %s', (_what, body) => {
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});

	test.each([
		[8, 'Too many'],
		[9, undefined],
	])('in %d nested objects: %s', (depth, expected) => {
		let body: unknown = 'Too many';
		for (let i = 0; i < depth; i++) body = i % 2 ? [body] : { error: body };
		expect(extractApiMessage(body, ACCOUNT)?.text).toBe(expected);
	});

	test('does not overflow the stack with a deeply nested response', () => {
		let body: unknown = 'deep';
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});

	test.each([
		['No such chat', true],
		['Scan the QR code first!', true],
		['账号未连接', true],
		['Internal server error: no session', true],
		['invalid_number', true],
		['sessionNotConnected', true],
		['Payload Too Large', false],
		['NOT_FOUND', false],
		['UnauthorizedException', false],
		['HTTP 404: Not Found', false],
		['Request failed with status code 400', false],
		['E-7', false],
		['***', false],
		['Bad Request', false],
		['Unprocessable Entity', false],
		['Unprocessable content', false],
		['Internal Server Error', false],
		['internal error.', false],
		['Bad Gateway', false],
		['Service Unavailable', false],
		['Service temporarily unavailable', false],
		['Gateway Time-out', false],
		['Gateway Timeout', false],
	])('is a reason: %s: %s', (message, isReason) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isReason });
	});

	test.each([
		['session_not_connected', true],
		['SESSION_CLOSED', true],
		['Instance is not connected', true],
		['The device has been logged out', true],
		["The phone isn't connected", true],
		['Please scan the QR code', true],
		['not_logged_in', true],
		['Client not found', false],
		['specified phone is not found', false],
		['The number is not connected to a chat', false],
		['not_authorized', false],
	])('means that the account is not connected: %s: %s', (message, isDisconnected) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isDisconnected });
	});

	test.each([
		['a status', { message: 'Wait a minute', status: 'SCAN_QR_CODE' }],
		['a flag', { message: 'Wait a minute', connected: false }],
	])('or %s beside the reason means it', (_what, body) => {
		expect(extractApiMessage(body, ACCOUNT)).toMatchObject({
			text: 'Wait a minute',
			isDisconnected: true,
		});
	});
});
