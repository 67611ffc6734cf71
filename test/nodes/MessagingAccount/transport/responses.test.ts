import fc from 'fast-check';

import { ApiError } from '../../../../nodes/MessagingAccount/errors/apiError';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import {
	readMessages,
	readSentMessage,
	readStatus,
	toItemJson,
} from '../../../../nodes/MessagingAccount/transport/responses';

const account = readAccount({
	baseUrl: 'https://a.example.com',
	clientId: 'client-7f3a',
	token: 'token-91c2',
});

const ODD: Array<[what: string, body: unknown, words: string]> = [
	['{}', {}, 'an object without fields'],
	['a web page', '\n <!doctype html><title>x</title>', 'a web page'],
	['plain text', 'hello', 'the text “hello”'],
	['null', null, 'null'],
	['an empty response', '', 'an empty response'],
	['a number', 5, 'the value 5'],
	['another object', { a: 1, b: 2 }, 'an object with the fields a, b'],
	[
		'many fields',
		Object.fromEntries([...'abcdefghi'].map((name) => [name, 1])),
		'an object with the fields a, b, c, d, e, f, g, h, …',
	],
	[
		'as many fields as are shown',
		Object.fromEntries([...'abcdefgh'].map((name) => [name, 1])),
		'an object with the fields a, b, c, d, e, f, g, h',
	],
	['the token as text', 'your token is token-91c2', 'the text “your token is ***”'],
];

describe.each([
	['a status', 'a status, with is_connected or qr', readStatus],
	['a sent message', 'the id of the message', readSentMessage],
	['messages', 'a list of messages, bare or in one field of an object', readMessages],
])('%s', (_what, expected, read) => {
	test.each(ODD)('is not read from %s: says what came', (_odd, body, words) => {
		const failure = failureOf(() => read({ body, account }));
		expect(failure.description).toContain(`Expected ${expected}, but received ${words}.`);
		expect(failure.description).toContain("'Base URL'");
		expect(failure.delivery).toBe('unknown');
	});

	test('never ends in anything but a value or a ServiceFailure', () => {
		fc.assert(
			fc.property(fc.jsonValue(), (body) => {
				try {
					expect(read({ body, account })).toBeDefined();
				} catch (error) {
					expect(error).toBeInstanceOf(ApiError);
				}
			}),
		);
	});
});

test('a list is no status', () => {
	const { description } = failureOf(() => readStatus({ body: [1, 2], account }));
	expect(description).toContain('but received a list of 2.');
});

describe('the QR code', () => {
	test.each([
		['no data URI', 'iVBORw0KGgo=', 'the text “iVBORw0KGgo=”'],
		['another type', 'data:image/jpeg;base64,iVBORw0KGgo=', 'the text “data:image/jpeg'],
		['no PNG inside', 'data:image/png;base64,aGVsbG8=', 'the text “data:image/png'],
		['behind something else', ' data:image/png;base64,iVBORw0KGgo=', 'the text “data:image/png'],
		['empty', '', 'an empty response'],
		['a number', 7, 'the value 7'],
		['an object', { a: 1 }, 'an object with the fields a'],
	])('is refused when it is %s', (_what, qr, words) => {
		const { description } = failureOf(() => readStatus({ body: { qr }, account }));
		expect(description).toContain(`a PNG as data URI in 'qr', but received ${words}`);
	});

	test('that is null counts as none', () => {
		const { description } = failureOf(() => readStatus({ body: { qr: null }, account }));
		expect(description).toContain('a status, with is_connected or qr');
	});
});

describe('the list of messages', () => {
	test.each([
		['bare', [1, 2], [1, 2]],
		['empty', [], []],
		['wrapped', { messages: [1] }, [1]],
		['wrapped under any name, beside other fields', { total: 1, items: [1] }, [1]],
		['wrapped and empty', { messages: [], errors: [] }, []],
		['the one that is not empty', { messages: [1], members: [] }, [1]],
		['never among the errors', { messages: [], warnings: ['old'] }, []],
		['beside a list of errors', { messages: [1], errors: ['one was skipped'] }, [1]],
	])('is found %s', (_how, body, expected) => {
		expect(readMessages({ body, account })).toEqual(expected);
	});

	test('is not guessed where two have content', () => {
		expect(() => readMessages({ body: { a: [1], b: [2] }, account })).toThrow(ApiError);
	});

	test.each([
		{ success: false, details: [] },
		{ error: 'Session closed', messages: [] },
		{ errors: ['Session closed'], messages: [] },
		{ errors: ['Session closed'] },
	])('is not read from a report of an error: %j', (body) => {
		expect(() => readMessages({ body, account })).toThrow(ApiError);
	});

	test.each([
		['an object, untouched', { id: 1, __v: 2 }, { id: 1, __v: 2 }],
		['a text', 'hello', { value: 'hello' }],
		['null', null, { value: null }],
		['a list', [1], { value: [1] }],
	])('gives %s', (_what, message, expected) => {
		expect(toItemJson(message)).toEqual(expected);
	});
});

function failureOf(work: () => unknown): ApiError {
	try {
		work();
	} catch (error) {
		expect(error).toBeInstanceOf(ApiError);
		return error as ApiError;
	}
	throw new Error('nothing was thrown');
}
