import type { IDataObject } from 'n8n-workflow';

import { DEFAULT_TIMEOUT_MS } from '../../../nodes/MessagingAccount/transport/request';
import { CREDENTIAL, runNode, type NodeResult, type NodeRun } from '../../support/engine';
import { useNoJitter } from '../../support/noJitter';
import { startScriptedServer, useScriptedServer } from '../../support/scriptedServer';
import { waitUntil } from '../../support/waitUntil';

const IMAGE = { number: '49151', url: 'https://example.com/a.png' };
const DRAGGED = { number: '={{ $json.number }}', url: '={{ $json.url }}' };

useNoJitter();
const NOTHING: Array<[string, { status?: number; body: unknown }]> = [
	['null', { body: null }],
	['an empty body', { body: '' }],
	['204', { status: 204, body: '' }],
];

const server = useScriptedServer();

function execute(
	operation: string,
	parameters: IDataObject = {},
	more: Partial<NodeRun> = {},
): Promise<NodeResult> {
	return runNode({
		parameters: { operation, ...parameters } as NodeRun['parameters'],
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});
}

const jsonOf = (result: NodeResult, output = 0) => result.outputs[output].map(({ json }) => json);
const pairedItemsOf = (result: NodeResult, output = 0) =>
	result.outputs[output].map(({ pairedItem }) => pairedItem);
const errorOf = (json: IDataObject) => json.error as IDataObject;

describe('every request', () => {
	test.each([
		['getStatus', {}, { is_connected: true }, 'GET', '/v1/status'],
		['sendImage', IMAGE, { id: '1' }, 'POST', '/v1/sendImage'],
		['getMessages', {}, [], 'GET', '/v1/messages'],
	])(
		'of %s has both headers and the documented path',
		async (operation, parameters, body, method, path) => {
			server.respondWith({ body });
			await execute(operation, parameters);
			expect(server.requests).toMatchObject([
				{
					method,
					path,
					headers: {
						'client-id': CREDENTIAL.clientId,
						token: CREDENTIAL.token,
						accept: 'application/json',
					},
				},
			]);
		},
	);

	test.each(['/', '///', '/v1', '/v1/', ' '])(
		'goes to the same address with %j after the Base URL',
		async (suffix) => {
			server.respondWith({ body: { is_connected: true } });
			const credential = { baseUrl: `${server.url}${suffix}`, ...CREDENTIAL };
			await execute('getStatus', {}, { credential });
			expect(server.requests.map(({ path }) => path)).toEqual(['/v1/status']);
		},
	);

	test('keeps the path of the Base URL', async () => {
		server.respondWith({ body: { is_connected: true } });
		const credential = { baseUrl: `${server.url}/api/`, ...CREDENTIAL };
		await execute('getStatus', {}, { credential });
		expect(server.requests.map(({ path }) => path)).toEqual(['/api/v1/status']);
	});

	describe.each([
		['baseUrl', 'messaging.example.com', "'Base URL'"],
		['clientId', 'Zq-ä', "'Client ID'"],
		['token', 'Zq-\nZq-', "'Token'"],
		['token', '', "'Token'"],
	])('with %s set to %j', (field, value, named) => {
		test.each(['getStatus', 'sendImage', 'getMessages'])(
			'is not made by %s, and the error names the field, not the value',
			async (operation) => {
				const credential = { baseUrl: server.url, ...CREDENTIAL, [field]: value };
				const { error, stored } = await execute(operation, IMAGE, { credential });
				expect(error?.message).toContain(named);
				expect(error?.name).toBe('NodeOperationError');
				expect(stored).not.toContain('Zq-');
				expect(server.requests).toEqual([]);
			},
		);
	});

	describe.each([301, 302, 303, 307, 308])('with the response %d', (status) => {
		test.each(['getStatus', 'sendImage', 'getMessages'])(
			'of %s follows no redirect',
			async (operation) => {
				const target = await startScriptedServer();
				server.respondWith({ status, headers: { location: `${target.url}/v1/status` } });
				const { error, stored } = await execute(operation, IMAGE);
				await target.close();
				expect(target.requests).toEqual([]);
				expect(server.requests).toHaveLength(1);
				expect(error?.message).toContain(target.url);
				expect(error?.message).toContain(`HTTP ${status}`);
				expect(stored).not.toContain(CREDENTIAL.token);
			},
		);
	});

	test('keeps its own message if a host name contains a network code', async () => {
		const location = 'https://homepipe-econnreset.example.com/';
		server.respondWith({ status: 302, headers: { location } });
		const { error } = await execute('sendImage', IMAGE);
		expect(error?.message).toContain(new URL(location).origin);
	});

	test.each(['getStatus', 'sendImage', 'getMessages'])(
		'of %s times out after Timeout',
		async (operation) => {
			server.respondWith(() => {});
			const { error } = await execute(operation, { ...IMAGE, options: { timeout: 150 } });
			expect(error?.message).toBe('The service did not respond within 0.15 s');
		},
	);

	test.each([0, -1, 'soon', 2 ** 31])('is not made with a Timeout of %j', async (timeout) => {
		const { error } = await execute('getStatus', { options: { timeout } });
		expect(error?.message).toContain("'Timeout'");
		expect(error?.description).toContain('e.g. 60000');
		expect(server.requests).toEqual([]);
	});
});

test('an unknown operation is refused', async () => {
	const { error } = await execute('sendVideo');
	expect(error?.message).toBe("'Operation' has no 'sendVideo'");
	expect(error?.description).toBe('Choose one of Get Messages, Get Status, Send Image.');
	expect(server.requests).toEqual([]);
});

test('canceling a read ends the delay before a retry', async () => {
	let isDone = false;
	const canceled = new Promise<void>((resolve) => {
		const onStart = (execution: { cancel(): void }) => {
			// Called just before the delay.
			jest.spyOn(Math, 'random').mockImplementation(() => {
				setImmediate(() => resolve(execution.cancel()));
				return 0;
			});
		};
		server.respondWith({ status: 429, headers: { 'retry-after': '50' } });
		void execute('getStatus', {}, { onStart }).finally(() => (isDone = true));
	});
	await canceled;
	// Half as long as the delay.
	await waitUntil('the end of the read', () => isDone, 25_000);
	expect(server.requests).toHaveLength(1);
});

describe('a run with many items', () => {
	const items = Array.from({ length: 20 }, (_, i) => ({ ...IMAGE, number: `4915${i}` }));

	test('reads the credential once', async () => {
		server.respondWith({ body: { id: '1' } });
		let reads = 0;
		await execute('sendImage', DRAGGED, { items, onCredentialRead: () => reads++ });
		expect(server.requests).toHaveLength(items.length);
		expect(reads).toBe(1);
	});

	test('leaves no timers behind', async () => {
		const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout');
		server.respondWith({ body: { id: '1' } });
		const before = timers().length;
		await execute('sendImage', DRAGGED, { items });
		expect(server.requests).toHaveLength(items.length);
		// The timers of connections take a moment to disappear.
		await waitUntil(
			'the end of its timers',
			(saw) => saw(timers().length) <= before,
			DEFAULT_TIMEOUT_MS / 2,
		);
	});
});

describe('Send Image', () => {
	test('sends the parameters, with the number as digits', async () => {
		server.respondWith({ body: { id: 'm1' } });
		await execute('sendImage', { ...IMAGE, number: '+49 (151) 2-3', caption: 'Hi\nthere' });
		expect(server.requests[0].body).toEqual({
			number: '4915123',
			url: IMAGE.url,
			caption: 'Hi\nthere',
		});
		expect(server.requests[0].headers['content-type']).toContain('application/json');
	});

	test('omits an empty caption', async () => {
		server.respondWith({ body: { id: 'm1' } });
		await execute('sendImage', { ...IMAGE, caption: '' });
		expect(server.requests[0].body).toEqual(IMAGE);
	});

	test('accepts a numeric phone number', async () => {
		server.respondWith({ body: { id: 'm1' } });
		await execute('sendImage', DRAGGED, { items: [{ ...IMAGE, number: 4915123456789 }] });
		expect(server.requests[0].body).toMatchObject({ number: '4915123456789' });
	});

	test('is the default operation', async () => {
		server.respondWith({ body: { id: 'm1' } });
		await runNode({ parameters: IMAGE, credential: { baseUrl: server.url, ...CREDENTIAL } });
		expect(server.requests[0].path).toBe('/v1/sendImage');
	});

	test('outputs the responses in input order, paired, with all fields', async () => {
		server.onRequest((request) => ({
			body: { id: `to-${(request.body as IDataObject).number as string}`, extra: 1 },
		}));
		const items = ['49151', '49152', '49153'].map((number) => ({ ...IMAGE, number }));
		const result = await execute('sendImage', DRAGGED, { items });
		expect(jsonOf(result)).toEqual([
			{ id: 'to-49151', extra: 1 },
			{ id: 'to-49152', extra: 1 },
			{ id: 'to-49153', extra: 1 },
		]);
		expect(pairedItemsOf(result)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
	});

	test('accepts a numeric message id', async () => {
		server.respondWith({ body: { id: 7 } });
		expect(jsonOf(await execute('sendImage', IMAGE))).toEqual([{ id: 7 }]);
	});

	test.each([
		["'nobody' is not a phone number", { ...IMAGE, number: 'nobody' }],
		["'Number' is empty", { ...IMAGE, number: '' }],
		["'Number' is a list or an object", { ...IMAGE, number: ['49151'] }],
		["'49151.5' in 'Number' has a decimal part", { ...IMAGE, number: 49151.5 }],
		["'picture.png' is not a web address", { ...IMAGE, url: 'picture.png' }],
		["'Image URL' is a list or an object", { ...IMAGE, url: [IMAGE.url] }],
		["'Caption' is a list or an object", { ...IMAGE, caption: { a: 1 } }],
	])('sends nothing if %s: %j', async (message, item) => {
		const { error } = await execute(
			'sendImage',
			{ ...DRAGGED, caption: '={{ $json.caption }}' },
			{ items: [item as IDataObject] },
		);
		expect(error?.message).toContain(message);
		expect(error?.name).toBe('NodeOperationError');
		expect(error?.context.itemIndex).toBe(0);
		expect(server.requests).toEqual([]);
	});
});

describe('Get Messages', () => {
	const LISTED = Array.from({ length: 100 }, (_, i) => ({ id: i, nested: { text: `m${i}` } }));

	test('outputs one item per message, untouched, in the order of the service, paired', async () => {
		server.respondWith({ body: LISTED });
		const result = await execute('getMessages');
		expect(jsonOf(result)).toEqual(LISTED);
		expect(new Set(pairedItemsOf(result).map((pair) => JSON.stringify(pair)))).toEqual(
			new Set(['{"item":0}']),
		);
	});

	test('pairs messages with their input item', async () => {
		server.respondWith({ body: [{ id: 1 }, { id: 2 }] });
		const result = await execute('getMessages', {}, { items: [{}, {}] });
		expect(pairedItemsOf(result)).toEqual([{ item: 0 }, { item: 0 }, { item: 1 }, { item: 1 }]);
	});

	test('accepts a list in a field', async () => {
		server.respondWith({ body: { messages: [{ id: 1 }], total: 1 } });
		expect(jsonOf(await execute('getMessages'))).toEqual([{ id: 1 }]);
	});

	test('wraps a plain value as { value }', async () => {
		server.respondWith({ body: ['hello', 5, null] });
		expect(jsonOf(await execute('getMessages'))).toEqual([
			{ value: 'hello' },
			{ value: 5 },
			{ value: null },
		]);
	});

	describe('Output Fields', () => {
		const listed = [
			{ id: 1, chat: { id: 7, title: 'A', members: [1] }, text: 'x', error: 'e' },
			{ id: 2, chat: null, text: '' },
		];
		const run = async (outputFields: unknown, body: unknown = listed) => {
			server.respondWith({ body });
			return await execute('getMessages', { options: { outputFields } as IDataObject });
		};
		const hints = /No message has the field '[^']+'/g;

		test.each([
			[
				'id, text',
				[
					{ id: 1, text: 'x' },
					{ id: 2, text: '' },
				],
			],
			[' chat.id,id ', [{ chat: { id: 7 }, id: 1 }, { id: 2 }]],
			['chat.id, chat', [{ chat: listed[0].chat }, { chat: null }]],
			['chat.id, chat.title', [{ chat: { id: 7, title: 'A' } }, {}]],
			['error', [{ value: { error: 'e' } }, {}]],
			['constructor, id.__proto__, id', [{ id: 1 }, { id: 2 }]],
			['', listed],
		])('%s', async (outputFields, expected) => {
			const result = await run(outputFields);
			expect(jsonOf(result)).toEqual(expected);
		});

		test('a hint names each field that no message has', async () => {
			const { stored, error } = await run('id, sender, chat.name');
			expect(error).toBeUndefined();
			expect(stored.match(hints)).toEqual([
				"No message has the field 'sender'",
				"No message has the field 'chat.name'",
			]);
		});

		test.each([
			['one of the messages has it', 'error', listed],
			['there are no messages', 'sender', []],
		])('there is no hint if %s', async (_what, outputFields, body) => {
			const { stored } = await run(outputFields, body);
			expect(stored.match(hints)).toBeNull();
		});

		test('that are not text are refused', async () => {
			const { error } = await run(['id']);
			expect(error?.message).toBe("'Output Fields' is not text");
		});

		test('that n8n would have to evaluate are refused', async () => {
			const { error } = await run('{{ $json.id }}');
			expect(error?.message).toBe("'Output Fields' contains {{");
		});
	});

	test.each([...NOTHING, ['an empty list', { body: [] }]])(
		'outputs no items for %s',
		async (_what, script) => {
			server.respondWith(script);
			const result = await execute('getMessages');
			expect(result.error).toBeUndefined();
			expect(jsonOf(result)).toEqual([]);
		},
	);

	test.each([
		[{ returnAll: false }, 50],
		[{ returnAll: false, limit: 1 }, 1],
		[{ returnAll: false, limit: 100 }, 100],
		[{ returnAll: true, limit: 1 }, 100],
	])('with %j outputs the last %d and sends no query', async (parameters, count) => {
		server.respondWith({ body: LISTED });
		const result = await execute('getMessages', parameters);
		expect(jsonOf(result)).toEqual(LISTED.slice(-count));
		expect(server.requests[0].path).toBe('/v1/messages');
	});

	test.each([
		['newest first', [3, 2, 1], [3, 2]],
		['oldest first', [1, 2, 3], [2, 3]],
		['in any order', [2, 3, 1], [2, 3]],
	])('with a Limit outputs the newest by their time, %s', async (_how, days, expected) => {
		const listed = days.map((day) => ({ sent_at: `2026-11-0${day}T08:00:00Z` }));
		server.respondWith({ body: listed });
		const result = await execute('getMessages', { returnAll: false, limit: 2 });
		expect(jsonOf(result)).toEqual(listed.filter((_, i) => expected.includes(days[i])));
	});

	test.each([
		[
			'the last one',
			'by the other times',
			['2026-11-01', '2026-11-02', undefined, '2026-11-04'],
			3,
		],
		[
			'the first one',
			'by the other times',
			['2026-11-04', undefined, '2026-11-02', '2026-11-01'],
			0,
		],
		['the last one', 'by IDs', [7, 8, 9], 2],
		['the first one', 'by IDs', [9, 8, 7], 0],
	])('with a Limit outputs %s, %s, if one has no time', async (_which, _how, values, expected) => {
		const listed = values.map((value) =>
			typeof value === 'number' ? { id: value } : { date: value },
		);
		server.respondWith({ body: listed });
		const result = await execute('getMessages', { returnAll: false, limit: 1 });
		expect(jsonOf(result)).toEqual([JSON.parse(JSON.stringify(listed[expected]))]);
		expect(result.stored).not.toContain('Nothing tells');
	});

	test('with a Limit outputs the last ones if nothing tells which are the newest, and a hint says so', async () => {
		server.respondWith({ body: [{ id: 'b' }, { id: 'a' }] });
		const parameters = { operation: 'getMessages', returnAll: false, limit: 1 };
		const result = await execute('getMessages', parameters, { items: [{}, {}] });
		expect(jsonOf(result)).toEqual([{ id: 'a' }, { id: 'a' }]);
		expect(result.stored.split('Nothing tells which messages are the newest').length - 1).toBe(1);
		const all = await execute('getMessages', { ...parameters, limit: 2 });
		expect(all.stored).not.toContain('Nothing tells');
	});

	test('reads all pages of a host that takes page 0 for page 1', async () => {
		const page = (n: number) => (n > 3 ? [] : [{ id: `m${n}` }]);
		server.onRequest(({ path }) => ({ body: page(Number(path.split('page=')[1]) || 1) }));
		const result = await execute('getMessages', { options: { pageParameter: 'page' } });
		expect(jsonOf(result)).toEqual([{ id: 'm1' }, { id: 'm2' }, { id: 'm3' }]);
	});

	test('fails if a further page cannot be read', async () => {
		server.onRequest(({ path }) => (path.endsWith('=2') ? { status: 500 } : { body: [path] }));
		const { error } = await execute('getMessages', { options: { pageParameter: 'page' } });
		expect(error?.message).toContain('HTTP 500');
	});

	test.each([
		[0, {}],
		[101, {}],
		[101, { pageParameter: 'p' }],
		[1.5, {}],
		['many', {}],
	])('refuses a Limit of %j with the options %j', async (limit, options) => {
		const { error } = await execute(
			'getMessages',
			{ returnAll: false, limit: '={{ $json.limit }}', options },
			{ items: [{ limit }] },
		);
		expect(error?.message).toContain("'Limit'");
		expect(error?.description).toContain("'Return All'");
		expect(server.requests).toEqual([]);
	});

	test('sends the query parameters from the options', async () => {
		server.respondWith({ body: [] });
		const parameters = [
			{ name: 'page', value: '={{ $json.page }}' },
			{ name: 'q', value: 'a b' },
		];
		await execute(
			'getMessages',
			{ options: { queryParameters: { parameters } } },
			{ items: [{ page: 2 }] },
		);
		expect(server.requests[0].path).toBe('/v1/messages?page=2&q=a+b');
	});
});

describe('Get Messages with a Page Parameter', () => {
	const paths = () => server.requests.map(({ path }) => path);
	const paged = (options: IDataObject = {}, parameters: IDataObject = {}) =>
		execute('getMessages', { ...parameters, options: { pageParameter: 'p', ...options } });

	/** Responds with pages by number; `undefined` drops the connection. */
	function servePages(pages: Record<string, unknown[] | undefined>): void {
		server.onRequest(({ path }) => {
			const body = pages[new URLSearchParams(path.split('?')[1]).get('p')!];
			return body ? { body } : (_response, socket) => socket.destroy();
		});
	}

	test('reads pages until one is empty', async () => {
		servePages({ 0: [{ id: 4 }, { id: 3 }], 1: [{ id: 2 }], 2: [] });
		expect(jsonOf(await paged())).toEqual([{ id: 4 }, { id: 3 }, { id: 2 }]);
		expect(paths()).toEqual([0, 1, 2].map((page) => `/v1/messages?p=${page}`));
	});

	test('reads pages until one repeats', async () => {
		servePages({ 1: [{ id: 4 }, { id: 3 }], 2: [{ id: 3 }, { id: 2 }], 3: [{ id: 2 }] });
		expect(jsonOf(await paged({ firstPage: 1 }))).toEqual([{ id: 4 }, { id: 3 }, { id: 2 }]);
		expect(paths()).toHaveLength(3);
	});

	test('reads at most Page Limit, and no more than Limit requires', async () => {
		server.onRequest(({ path }) => ({ body: [{ path }, { path, second: true }] }));
		expect(jsonOf(await paged({ maxPages: 3 }))).toHaveLength(6);
		expect(paths()).toHaveLength(3);
		expect(jsonOf(await paged({}, { returnAll: false, limit: 3 }))).toHaveLength(3);
		expect(paths()).toHaveLength(5);
		expect(jsonOf(await paged({}, { returnAll: false, limit: 4 }))).toHaveLength(4);
		expect(paths()).toHaveLength(7);
	});

	test('makes one request if the list is empty', async () => {
		servePages({ 0: [] });
		expect(jsonOf(await paged())).toEqual([]);
		expect(paths()).toHaveLength(1);
	});

	test('outputs nothing if a page fails three times', async () => {
		servePages({ 0: [{ id: 1 }], 1: undefined });
		const { error } = await paged();
		expect(error?.message).toContain('was lost');
		expect(paths()).toHaveLength(4);
	});
});

describe('an unexpected response', () => {
	test.each(
		['getStatus', 'sendImage', 'getMessages'].flatMap((operation) => [
			[operation, '{}', { body: {} }],
			[operation, 'a web page', { body: '<html><body>Welcome</body></html>' }],
			[
				operation,
				'truncated JSON',
				{ body: '[{"id": "m', headers: { 'content-type': 'application/json' } },
			],
			[operation, 'a boolean', { body: true }],
			[operation, '__proto__', { body: '{"__proto__": {"is_connected": true, "id": "1"}}' }],
			...(operation === 'getMessages' ? [] : NOTHING.map((one) => [operation, ...one])),
		]) as Array<[string, string, { status?: number; body: unknown }]>,
	)('to %s (%s) is a clear error', async (operation, _what, script) => {
		server.respondWith(script);
		const { error } = await execute(operation, IMAGE);
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toBe('Unexpected response from the service');
		expect(error?.description).toContain('but received');
		expect(error?.context.itemIndex).toBe(0);
	});

	test('a QR code that is not a PNG is a clear error', async () => {
		server.respondWith({ body: { qr: 'data:image/png;base64,aGVsbG8=' } });
		const { error } = await execute('getStatus');
		expect(error?.description).toContain("a PNG as data URI in 'qr'");
	});
});

describe('the word for a stop by the user, which n8n looks for in messages', () => {
	test.each([
		[
			'in the reason of the service',
			IMAGE,
			{ status: 422, body: { message: 'The order was canceled' } },
			'The order was cancelled (HTTP 422)',
		],
		[
			'in a report',
			IMAGE,
			{ body: { success: false, message: 'It was canceled' } },
			'It was cancelled',
		],
		[
			'in a cell',
			{ ...IMAGE, number: 'canceled' },
			{ body: {} },
			"'cancelled' is not a phone number",
		],
		[
			'in a choice',
			{ ...IMAGE, imageSource: '={{ "canceled" }}' },
			{ body: {} },
			"'Image From' has no 'cancelled'",
		],
	])('does not make one: %s', async (_where, parameters, script, message) => {
		server.respondWith(script);
		const { error, status } = await execute('sendImage', parameters);
		expect(error?.message).toBe(message);
		expect(status).toBe('error');
	});

	test('is there if somebody stopped the execution', async () => {
		const run: Partial<NodeRun> = {
			onStart: ({ cancel }) => server.onRequest(() => (cancel(), () => {})),
		};
		const { status } = await execute('sendImage', IMAGE, run);
		expect(status).toBe('canceled');
	});
});

describe('a failing item', () => {
	const ITEMS = ['49151', '49152', 'bad', '49154'].map((number) => ({ ...IMAGE, number }));

	beforeEach(() => {
		server.onRequest((request) =>
			(request.body as IDataObject).number === '49152'
				? { status: 422, body: { message: 'No such chat' } }
				: { body: { id: (request.body as IDataObject).number } },
		);
	});

	const CHECK_THE_CHAT = 'The image may have been sent: check the chat before you send it again.';
	const refused = {
		error: {
			message: 'No such chat (HTTP 422) [item 1]',
			description: 'The service refused the request and gave this reason. The image was not sent.',
			httpCode: '422',
			delivery: 'notSent',
		},
	};
	const invalid = {
		error: {
			message: "'bad' is not a phone number [item 2]",
			description: expect.stringContaining('e.g. +1 202') as string,
			delivery: 'notSent',
		},
	};

	test('keeps its position with On Error "Continue"', async () => {
		const result = await execute('sendImage', DRAGGED, {
			items: ITEMS,
			settings: { onError: 'continueRegularOutput' },
		});
		expect(jsonOf(result)).toEqual([{ id: '49151' }, refused, invalid, { id: '49154' }]);
		expect(pairedItemsOf(result)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
	});

	test.each([
		[422, 'The service refused the request and gave this reason.', 'The image was not sent.'],
		[409, 'The service did not complete the request and gave this reason.', CHECK_THE_CHAT],
		[500, 'The service did not respond as expected and gave this reason.', CHECK_THE_CHAT],
	])(
		'with status %d gives the reason first, and says what the outcome is',
		async (status, happened, outcome) => {
			server.respondWith({ status, body: { message: 'The session is being restarted.' } });
			const { error } = await execute('sendImage', IMAGE);
			expect(error?.message).toBe(`The session is being restarted (HTTP ${status})`);
			expect(error?.description).toBe(`${happened} ${outcome}`);
		},
	);

	test('has the fields of its input with Include Input Fields, like all others', async () => {
		const result = await execute(
			'sendImage',
			{ ...DRAGGED, options: { includeInputFields: true } },
			{ items: ITEMS, settings: { onError: 'continueRegularOutput' } },
		);
		expect(jsonOf(result)).toEqual([
			{ ...ITEMS[0], id: '49151', error: null },
			{ ...ITEMS[1], id: null, ...refused },
			{ ...ITEMS[2], id: null, ...invalid },
			{ ...ITEMS[3], id: '49154', error: null },
		]);
		expect(pairedItemsOf(result)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
	});

	test('goes to the error output with On Error "Continue (using error output)"', async () => {
		const result = await execute('sendImage', DRAGGED, {
			items: ITEMS,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(jsonOf(result, 0)).toEqual([{ id: '49151' }, { id: '49154' }]);
		expect(jsonOf(result, 1)).toMatchObject([refused, invalid]);
		expect(pairedItemsOf(result, 1)).toEqual([{ item: 1 }, { item: 2 }]);
	});

	test('stops the node with On Error "Stop", and nothing is sent after it', async () => {
		const { error } = await execute('sendImage', DRAGGED, { items: ITEMS });
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toBe(refused.error.message);
		expect(error?.description).toBe(
			`${refused.error.description} Items completed before the stop: 1 of 4. Executing the workflow again sends also to those who have the image. To send only the rest, open 'Executions' and retry this one.`,
		);
		expect(error).toHaveProperty('httpCode', '422');
		expect(error?.context.itemIndex).toBe(1);
		expect(server.requests.map(({ body }) => (body as IDataObject).number)).toEqual([
			'49151',
			'49152',
		]);
	});

	test('has no delivery if it only reads', async () => {
		server.respondWith({ status: 500, body: '' });
		for (const operation of ['getStatus', 'getMessages']) {
			const result = await execute(
				operation,
				{},
				{ settings: { onError: 'continueRegularOutput' } },
			);
			expect(Object.keys(errorOf(jsonOf(result)[0])).sort()).toEqual([
				'description',
				'httpCode',
				'message',
			]);
		}
	});

	test.each([
		['a refused connection', 'notSent', undefined],
		[
			'a dropped connection',
			'unknown',
			(_: unknown, socket: { destroy(): void }) => socket.destroy(),
		],
		['a timeout', 'unknown', () => {}],
		['400', 'notSent', { status: 400 }],
		['401', 'notSent', { status: 401 }],
		['404', 'notSent', { status: 404 }],
		['429', 'notSent', { status: 429 }],
		['a redirect', 'notSent', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
		['500', 'unknown', { status: 500 }],
		['502', 'unknown', { status: 502 }],
		['503', 'unknown', { status: 503 }],
		['503 with Retry-After', 'notSent', { status: 503, headers: { 'retry-after': '0' } }],
		['504', 'unknown', { status: 504 }],
		['200 without an id', 'unknown', { body: { ok: true } }],
		['200 with an empty id', 'unknown', { body: { id: '' } }],
		['200 with id null', 'unknown', { body: { id: null } }],
		['200 with a blank id', 'unknown', { body: { id: ' ' } }],
	])('after %s has delivery "%s"', async (what, delivery, script) => {
		if (script) server.respondWith(script);
		else await server.close();
		const result = await execute(
			'sendImage',
			// All others must not time out on a busy machine.
			{ ...IMAGE, options: { timeout: what === 'a timeout' ? 150 : DEFAULT_TIMEOUT_MS } },
			{ settings: { onError: 'continueRegularOutput' } },
		);
		expect(errorOf(jsonOf(result)[0])).toMatchObject({ delivery });
	});

	test('with a broken expression does not affect the others', async () => {
		const caption = '={{ $json.fine ? "x" : $("A Node That Is Not There").first().json.text }}';
		const result = await execute(
			'sendImage',
			{ ...DRAGGED, caption },
			{
				items: [{ ...IMAGE, fine: true }, IMAGE, { ...IMAGE, fine: true }],
				settings: { onError: 'continueRegularOutput' },
			},
		);
		expect(jsonOf(result)).toMatchObject([
			{ id: IMAGE.number },
			{ error: { delivery: 'notSent', message: expect.any(String) as string } },
			{ id: IMAGE.number },
		]);
		expect(server.requests).toHaveLength(2);
	});

	test('because of the credential makes every item fail', async () => {
		const result = await execute('sendImage', DRAGGED, {
			items: ITEMS,
			settings: { onError: 'continueRegularOutput' },
			credential: { baseUrl: server.url, clientId: 'x', token: '' },
		});
		expect(jsonOf(result).map((json) => errorOf(json).delivery)).toEqual(Array(4).fill('notSent'));
		expect(server.requests).toEqual([]);
	});
});

describe('the client ID and the token', () => {
	const echo = `${CREDENTIAL.clientId} / ${CREDENTIAL.token}`;

	test.each([
		['JSON', { headers: { 'client-id': CREDENTIAL.clientId }, message: echo }],
		['text', `Refused: ${echo}`],
		['HTML', `<html><body>${echo}</body></html>`],
		['deep JSON', { error: { detail: echo } }],
	])('are not stored if the service echoes them as %s', async (_how, body) => {
		for (const status of [200, 302, 400, 401, 500]) {
			for (const onError of [undefined, 'continueErrorOutput'] as const) {
				server.respondWith({ status, body, headers: { location: `http://x/?${echo}` } });
				const { stored } = await execute('sendImage', IMAGE, { settings: { onError } });
				expect(stored).toContain('Messaging Account');
				expect(stored).not.toContain(CREDENTIAL.clientId);
				expect(stored).not.toContain(CREDENTIAL.token);
			}
		}
		expect(server.requests).toHaveLength(10);
	});

	test('are not stored if the connection drops', async () => {
		server.respondWith((_response, socket) => socket.destroy());
		const { stored, error } = await execute('sendImage', IMAGE);
		expect(error?.message).toContain('was lost');
		expect(stored).not.toContain(CREDENTIAL.clientId);
		expect(stored).not.toContain(CREDENTIAL.token);
	});
});
