import { extractApiMessage } from '../../../../nodes/MessagingAccount/errors/extractApiMessage';
import { ACCOUNT } from '../../../support/account';

describe('the message of the service', () => {
	test.each([
		['a text', 'Too many', 'Too many'],
		['a text of one word', 'Forbidden', 'Forbidden'],
		['a field of one word', { message: 'Forbidden' }, 'Forbidden'],
		['a list of one word', { errors: ['Forbidden'] }, 'Forbidden'],
		['message before other fields', { info: 'Ask later', message: 'Too many' }, 'Too many'],
		['a field of any name', { code: 'E7', info: 'Too many' }, 'Too many'],
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

	const readList = (list: string) => list.trim().split(/\s+\|\s+/);

	/** Of the first list it is true, of the second it is not. */
	const readLists = (yes: string, no: string) => [
		...readList(yes).map((message) => ({ message, expected: true })),
		...readList(no).map((message) => ({ message, expected: false })),
	];

	test.each(
		readLists(
			`No such chat | Scan the QR code first! | 账号未连接 | Internal server error: no session |
			invalid_number | sessionNotConnected`,
			`Payload Too Large | NOT_FOUND | UnauthorizedException | HTTP 404: Not Found |
			Request failed with status code 400 | E-7 | *** | Bad Request | Unprocessable Entity |
			Unprocessable content | Internal Server Error | internal error. | Bad Gateway |
			Service Unavailable | Service temporarily unavailable | Gateway Time-out | Gateway Timeout`,
		),
	)('is a reason: $message: $expected', ({ message, expected }) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isReason: expected });
	});

	test.each(
		readLists(
			`session_not_connected | SESSION_CLOSED | Instance is not connected | not_logged_in |
			The device has been logged out | The phone isn't connected | Please scan the QR code |
			You are not connected. | Connection Closed | Waiting for QR code scan |
			The session is not authenticated | Instance is closed | device disconnected`,
			`Client not found | specified phone is not found | The number is not connected to a chat |
			not_authorized | The phone number is not linked to an account | Database disconnected |
			The recipient is disconnected | client disconnected before the response |
			Your account is not ready to send to this number | The "sales" instance does not exist`,
		),
	)('means that the account is not connected: $message: $expected', ({ message, expected }) => {
		expect(extractApiMessage({ message }, ACCOUNT)).toMatchObject({ isDisconnected: expected });
	});

	test('or a flag beside the reason means it', () => {
		const body = { message: 'Wait a minute', connected: false };
		const expected = { text: 'Wait a minute', isDisconnected: true };
		expect(extractApiMessage(body, ACCOUNT)).toMatchObject(expected);
	});
});
