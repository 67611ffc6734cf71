import { ApiError } from '../../../../nodes/MessagingAccount/errors/errorClasses';
import { readAccount } from '../../../../nodes/MessagingAccount/transport/credential';
import {
	readMessages,
	readSentMessage,
	readStatus,
	toItemJson,
} from '../../../../nodes/MessagingAccount/transport/responses';
import fc from '../../../support/fastCheck';
import { getApiError } from '../../../support/inputError';

const account = readAccount({
	baseUrl: 'https://a.example.com',
	clientId: 'client-7f3a',
	token: 'token-91c2',
});

const fields = (count: number) =>
	Object.fromEntries([...'abcdefghi'].slice(0, count).map((name) => [name, 1]));

const UNEXPECTED: Array<[what: string, body: unknown, received: string]> = [
	['{}', {}, 'an object without fields'],
	['a web page', '\n <!doctype html><title>Log in</title>', 'a web page: “Log in”'],
	['plain text', 'hello', 'the text “hello”'],
	['null', null, 'null'],
	['an empty response', '', 'an empty response'],
	['a response without a body', undefined, 'an empty response'],
	['a number', 5, 'the value 5'],
	['another object', { a: 1, b: 2 }, 'an object with the fields a, b'],
	['as many fields as are shown', fields(8), 'an object with the fields a, b, c, d, e, f, g, h'],
	['many fields', fields(9), 'an object with the fields a, b, c, d, e, f, g, h, …'],
	['the token as text', 'your token is token-91c2', 'the text “your token is ***”'],
];

describe.each([
	['a status', 'a status, with is_connected or qr', readStatus],
	['a sent message', 'the id of the message', readSentMessage],
	['messages', 'a list of messages, bare or in one field of an object', readMessages],
])('%s', (_what, expected, read) => {
	// Nothing is no message.
	const isNothing = (body: unknown) => read === readMessages && !String(body ?? '');
	test.each(UNEXPECTED.filter(([, body]) => !isNothing(body)))(
		'is not read from %s, and the error says what arrived',
		(_what, body, received) => {
			const error = getApiError(() => read({ body, account }));
			expect(error.description).toContain(`Expected ${expected}, but received ${received}.`);
			const isReached = read === readSentMessage && !received.startsWith('a web page');
			expect(error.description).toContain(isReached ? "must be in 'id'." : "'Base URL'");
			if (isReached) expect(error.message).toBe('The service responded without a message ID');
			expect(error.delivery).toBe('unknown');
		},
	);

	test.each([
		'{"messages":[],"toString":1}',
		'{"error":{"path":{"toString":1},"message":"a b","data":{"number":{"toString":1}}}}',
	])('says what is wrong, although a field has the name of a method: %s', (json) => {
		const body: unknown = JSON.parse(json);
		if (read === readMessages && !json.includes('error'))
			expect(read({ body, account })).toEqual([]);
		else expect(() => read({ body, account })).toThrow(ApiError);
	});

	test('returns a value or throws an ApiError', () => {
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

const NO_STATUS = 'a status, with is_connected or qr, but received';
const NO_QR = "a PNG as data URI in 'qr', but received";
const NO_FLAG = "true or false in 'is_connected', but received";

test.each([
	[[1, 2], `${NO_STATUS} a list of 2 entries.`],
	[{ is_connected: null, qr: null }, `${NO_STATUS} an object with the fields is_connected, qr.`],
	[{ qr: '2@abcdefgh,ijkl' }, `${NO_QR} the text “2@abcdefgh,ijkl”`],
	[{ qr: 'data:image/jpeg;base64,iVBORw0KGgo=' }, `${NO_QR} the text “data:image/jpeg`],
	[{ qr: 'data:image/png;base64,aGVsbG8=' }, `${NO_QR} the text “data:image/png`],
	[{ qr: ['data:image/png;base64,iVBORw0KGgo='] }, `${NO_QR} a list of 1 entries`],
	[{ is_connected: 'true' }, `${NO_FLAG} the text “true”.`],
	[{ is_connected: 'False' }, `${NO_FLAG} the text “False”.`],
	[
		{ is_connected: 1 },
		`${NO_FLAG} the value 1. Ask the service's operator to return true or false.`,
	],
	[
		{ success: false, message: 'No such client' },
		`${NO_STATUS} a report that something went wrong, an object with the fields success, message. The service says: “No such client”. Check 'Base URL', 'Client ID' and 'Token' in the credential.`,
	],
])('a status is not read from %j', (body, expected) => {
	const { description } = getApiError(() => readStatus({ body, account }));
	expect(description).toContain(`Expected ${expected}`);
});

describe('a sent message', () => {
	test.each([
		{ id: 'm1' },
		{ id: 7, success: true, error: null, errors: [] },
		{ id: 'm1', success: 'no', error: '', errors: {} },
		{ id: 'm1', error: false },
		{ id: 'm1', warnings: ['The picture was scaled down'] },
		...['queued', 'sent', 'pending', 'no errors', 0, 200, null, false].map((status) => ({
			id: 'm1',
			status,
		})),
		{ id: 'm1', ok: 1, sent: 0, success: 'true', Error: '' },
		...[0, ...'false,False,0,no,None,NULL, ,ok,No error,no errors,success'.split(',')].map(
			(error) => ({
				id: 'm1',
				error,
			}),
		),
		{ id: 'm1', error: { code: 0, message: '' }, errors: [null, 'none', []] },
		{ id: 'm1', error_code: null, errorMessage: '', code: 200, statusCode: '201', result: 'ok' },
		{ id: 'm1', state: 'PENDING', delivered: 0, data: { error: null, status: 'sent' } },
		{ id: 'm1', code: 4711, message: { status: 'failed' }, data: [{ error: 'x' }] },
		{ id: 'm1', ok: null, sent: {}, success: [false], status: { toString: 1 } },
	])('is read, untouched, from %j', (body) => {
		expect(readSentMessage({ body, account })).toBe(body);
	});

	test.each([
		[{ id: 'm1', success: false, message: 'Blocked by token-91c2' }, 'Blocked by ***'],
		[{ success: false, detail: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', error: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', success: true, error: { code: 7, message: 'Blocked' } }, 'Blocked'],
		[{ id: 'm1', error: 5 }, undefined],
		[{ id: 'm1', error: 'true' }, 'true'],
		[{ id: 'm1', error: 'not ok' }, 'not ok'],
		[{ id: 'm1', error: { code: 0, message: 'Blocked' } }, 'Blocked'],
		[{ id: 'm1', errors: ['', { number: '' }] }, undefined],
		[{ id: 'm1', errors: ['Blocked'] }, 'Blocked'],
		[{ id: 'm1', errors: { number: 'Blocked' } }, 'Blocked'],
		[{ id: 'm1', Error: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', success: 'False', message: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', success: 0 }, undefined],
		[{ id: 'm1', success: '0' }, undefined],
		[{ id: 'm1', Success: false }, undefined],
		[{ id: 'm1', ok: false }, undefined],
		[{ id: 'm1', sent: false }, undefined],
		[{ id: 'm1', status: 'error', message: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', status: 'FAILED' }, undefined],
		[{ id: 'm1', statusCode: 400, message: 'Blocked' }, 'Blocked'],
		[{ id: 'm1', code: 500 }, undefined],
		[{ id: 'm1', http_status_code: '503' }, undefined],
		[{ id: 'm1', result: 'error' }, undefined],
		[{ id: 'm1', result: false }, undefined],
		[{ id: 'm1', status: 'REJECTED' }, 'REJECTED'],
		[{ id: 'm1', status: 'undelivered' }, 'undelivered'],
		[{ id: 'm1', messageStatus: 'Not sent' }, 'Not sent'],
		[{ id: 'm1', state: 'FAILED ' }, undefined],
		[{ id: 'm1', delivered: false }, undefined],
		[{ id: 'm1', error_code: 63016 }, undefined],
		[{ id: 'm1', data: { error: 'Blocked' } }, 'Blocked'],
		[{ id: 'm1', response: { success: false, message: 'Blocked' } }, 'Blocked'],
	])('is not read from a report of an error, with or without an id: %j', (body, sentence) => {
		const error = getApiError(() => readSentMessage({ body, account }));
		const fields = Object.keys(body).join(', ');
		const quote = sentence ? `The service says: “${sentence}”. ` : '';
		expect(error.description).toBe(
			`Expected the id of the message, but received a report that something went wrong, an object with the fields ${fields}. ${quote}Use Get Status to see whether the account is connected.`,
		);
		expect(error).toMatchObject({ delivery: 'unknown', retryable: 'never' });
	});
});

test.each([
	[{ messageId: 'm1' }, 'messageId'],
	[{ key: { remoteJid: '1@c.us', fromMe: true, id: 'm1' } }, 'key.id'],
	[{ status: 'success', response: [{ id: 'm1' }] }, 'response[0].id'],
	[{ data: { Info: { ID: 'm1' } } }, 'data.Info.ID'],
	[{ messages: [{ id: 'm1' }], contacts: [{ wa_id: '1' }] }, 'messages[0].id'],
	[{ id: { _serialized: 'm1' } }, 'id._serialized'],
	[[{ id: 'm1' }], '[0].id'],
	[{ sid: 'SM1', status: 'queued' }, 'sid'],
	[{ messageData: { key: { id: 'm1' } } }, 'messageData.key.id'],
	[{ id: '', messageId: 'm1' }, 'messageId'],
	[{ id: ' ', messageId: 'm1' }, 'messageId'],
	[{ id: true, msgId: 5 }, 'msgId'],
])('an id that has another name is told: %j', (body, path) => {
	const { description, delivery } = getApiError(() => readSentMessage({ body, account }));
	expect(description).toContain(
		`Ask the service's operator: the ID must be in 'id'; here, '${path}' looks like it.`,
	);
	expect(delivery).toBe('unknown');
});

test.each([
	{ success: false, message: 'The number is blocked.' },
	{ status: false, reason: 'The number is blocked' },
	{ status: 'fail', message: 'The number is blocked' },
	{ code: 400, message: 'The number is blocked' },
	{ errorCode: 5, errorMessage: 'The number is blocked' },
	{ result: false, msg: 'The number is blocked' },
	{ erro: true, text: 'The number is blocked' },
	{ erro: '1', msg: 'The number is blocked' },
])('a report that says why has this as its message: %j', (body) => {
	const { message, description } = getApiError(() => readSentMessage({ body, account }));
	expect(message).toBe('The number is blocked');
	expect(description).toContain('but received a report that something went wrong');
});

test.each([
	[
		{ success: true, message: null, warning: 'Timed out: it may still have been delivered' },
		'Timed out: it may still have been delivered',
	],
	[{ erro: false, text: 'Queued as 7', caption: 'Hi you' }, 'Queued as 7'],
	[{ status: 'ok', info: { hint: 'x', note: 'Wait for the webhook' } }, 'Wait for the webhook'],
])('what the service says beside no id is told: %j', (body, sentence) => {
	const { message, description } = getApiError(() => readSentMessage({ body, account }));
	expect(message).toBe('The service responded without a message ID');
	expect(description).toContain(
		`. The service says: “${sentence}”. Ask the service's operator: the ID must be in 'id'.`,
	);
});

test('a sentence that the account is not connected counts as a report', () => {
	const body = { message: 'Sessão não conectada' };
	for (const read of [readSentMessage, readStatus, readMessages]) {
		const { message, details } = getApiError(() => read({ body, account }));
		expect(message).toBe(body.message);
		expect(details.isDisconnected).toBe(true);
	}
});

describe('the QR code', () => {
	test.each([
		['a data URI', 'data:image/png;base64,iVBORw0KGgo='],
		['one with parameters', 'data:image/png;name=qr.png;base64,iVBORw0KGgo='],
		['one with spaces around it', ' data:image/png;base64,iVBORw0KGgo=\n'],
		['Base64 alone', 'iVBORw0KGgo='],
		['Base64 in lines', 'iVBO\nRw0K\nGgo='],
	])('is a picture if it is %s', (_what, qr) => {
		const { status, qr: picture } = readStatus({ body: { qr }, account });
		expect(status).toEqual({ is_connected: false, qr });
		expect(picture?.toString('base64')).toBe('iVBORw0KGgo=');
	});

	test('that is no PNG is told', () => {
		const { message, description } = getApiError(() => readStatus({ body: { qr: 'x' }, account }));
		expect(message).toBe('The QR code from the service is not a PNG picture');
		expect(description).toContain('Scan it where the service shows it');
	});

	test('that is a text goes with the status that says that the account is not connected', () => {
		const body = { is_connected: false, qr: '2@abcdefgh,ijkl' };
		expect(readStatus({ body, account })).toEqual({ status: body });
	});
});

describe('the list of messages', () => {
	test.each([
		['bare', [1, 2], [1, 2]],
		['empty', [], []],
		['wrapped', { messages: [1] }, [1]],
		['wrapped under any name, next to other fields', { total: 1, items: [1] }, [1]],
		['wrapped and empty', { messages: [], errors: [] }, []],
		['wrapped twice', { status: 'ok', data: { items: [1], total: 1 } }, [1]],
		['wrapped twice, beside another list', { result: { messages: [1] }, links: [2] }, [1]],
		['wrapped twice and empty', { data: { items: [] } }, []],
		['wrapped once, beside an object', { messages: [1], data: { items: [2] } }, [1]],
		['wrapped twice, after a wrapper without a list', { data: {}, result: { items: [1] } }, [1]],
		['as the only list that is not empty, under any name', { a: [1], b: [] }, [1]],
		['empty, where all lists are', { a: [], b: [] }, []],
		['under its name, beside another list', { messages: [1], a: [2] }, [1]],
		['under its name, though it is empty', { messages: [], a: [2] }, []],
		['under the surest name', { message_texts: [2], messages: [1] }, [1]],
		['under a name with its name, beside another list', { new_messages: [1], a: [2] }, [1]],
		['under a usual name, beside another list', { a: [2], items: [1] }, [1]],
		['never among the errors', { messages: [], warnings: ['old'] }, []],
		['next to a list of errors', { messages: [1], errors: ['one was skipped'] }, [1]],
		['empty, next to counts', { messages: [], sent: 0, total: 0 }, []],
		['inside messages', { messages: { total: 2, records: [1] } }, [1]],
		['inside messages, wrapped', { data: { messages: { data: [1] } } }, [1]],
		['three levels down', { response: { result: { messages: [1] } } }, [1]],
		['nowhere in a response of white space', '\n', []],
		['nowhere in a response without a body', undefined, []],
		['nowhere in null', null, []],
		['nowhere in a field of null', { messages: null }, []],
		['nowhere in a wrapped field of null', { ok: true, data: { records: null } }, []],
		['nowhere in an empty object', { messages: {} }, []],
		['nowhere in an empty text', { messages: '' }, []],
		['nowhere in a wrapper of null', { payload: null }, []],
		['inside what HAL wraps', { _embedded: { messages: [1] } }, [1]],
		['inside what OData wraps', { d: { results: [1] } }, [1]],
		['inside what a search wraps', { hits: { hits: [1] } }, [1]],
		['inside a chat', { data: { chat: { messages: [1] } } }, [1]],
	])('is found %s', (_how, body, expected) => {
		expect(readMessages({ body, account })).toEqual(expected);
	});

	test.each([
		{ is_connected: true, message: null },
		{ data: { success: false, error: 'session closed', messages: [] } },
		{ a: [1], b: [2] },
		{ user: { items: [1] } },
		{ data: {} },
	])('is neither guessed nor empty: %j', (body) => {
		expect(() => readMessages({ body, account })).toThrow(ApiError);
	});

	test.each([
		{ success: false, details: [] },
		{ error: 'Session closed', messages: [] },
		{ errors: ['Session closed'], messages: [] },
		{ status: 'error', messages: [] },
		{ ok: false, messages: [] },
		{ success: false, data: null },
		{ status: false, message: 'Device disconnected', data: [] },
		{ code: 404, msg: null, data: [] },
	])('is not read from a report of an error: %j', (body) => {
		const { description } = getApiError(() => readMessages({ body, account }));
		expect(description).toContain('but received a report that something went wrong, an object');
	});

	test.each([
		['an object, untouched', { id: 1, __v: 2 }, { id: 1, __v: 2 }],
		['a text', 'hello', { value: 'hello' }],
		['null', null, { value: null }],
		['a list', [1], { value: [1] }],
		[
			'what n8n takes for a failed item',
			{ error: 'Gone', message: 'x', details: {} },
			{ value: { error: 'Gone', message: 'x', details: {} } },
		],
		['an error without content', { error: '', message: 'x' }, { error: '', message: 'x' }],
		...['id', 'messageId', 'my_details'].map((name): [string, object, object] => {
			const message = { error: 'Gone', [name]: 1 };
			return [`an error next to ${name}`, message, message];
		}),
		['no error', { message: 'x' }, { message: 'x' }],
	])('may contain %s', (_what, message, expected) => {
		expect(toItemJson(message)).toEqual(expected);
	});
});
