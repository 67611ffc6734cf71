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
		['the first of a list', { errors: [{ message: 'Too many' }, { message: 'b' }] }, 'Too many'],
	])('is found in %s', (_where, body, expected) => {
		expect(extractApiMessage(body, ACCOUNT)).toBe(expected);
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
		[4, 'Too many'],
		[5, undefined],
	])('in %d nested objects: %s', (depth, expected) => {
		let body: unknown = 'Too many';
		for (let i = 0; i < depth; i++) body = i % 2 ? [body] : { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBe(expected);
	});

	test('does not overflow the stack with a deeply nested response', () => {
		let body: unknown = 'deep';
		for (let i = 0; i < 50_000; i++) body = { error: body };
		expect(extractApiMessage(body, ACCOUNT)).toBeUndefined();
	});
});
