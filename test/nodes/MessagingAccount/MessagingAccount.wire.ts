import type { IDataObject } from 'n8n-workflow';

import * as sleeping from '../../../nodes/MessagingAccount/n8n/sleep';
import { DEFAULT_TIMEOUT_MS } from '../../../nodes/MessagingAccount/transport/request';
import { CREDENTIAL, executeAt, IMAGE, type NodeResult, type NodeRun } from '../../support/engine';
import { CONTINUE, list, TOOL, useSends } from '../../support/sends';
import { DROPPED } from '../../support/sendService';
import { waitUntil, type Saw } from '../../support/waitUntil';

const { clientId, token } = CREDENTIAL;

const { server, run } = useSends();
const execute = executeAt(server);

const pairedItemsOf = ({ outputs }: NodeResult) => outputs[0].map(({ pairedItem }) => pairedItem);
const paths = () => server.requests.map(({ path }) => path);

test.each([
	['getStatus', { is_connected: true }, 'GET', '/v1/status'],
	['sendImage', { id: '1' }, 'POST', '/v1/sendImage'],
	['getMessages', [], 'GET', '/v1/messages'],
])('a request of %s has both headers, behind Base URL', async (operation, body, method, path) => {
	server.respondWith({ body });
	const credential = { baseUrl: `${server.url}/api/`, ...CREDENTIAL };
	await execute(operation, {}, { credential });
	const headers = { 'client-id': clientId, token, accept: 'application/json' };
	expect(server.requests).toMatchObject([{ method, path: `/api${path}`, headers }]);
});

test('a request times out after Timeout', async () => {
	server.respondWith(() => {});
	const { error } = await execute('sendImage', { options: { timeout: 150 } });
	expect(error?.message).toBe('The service did not respond within 0.15 s');
});

test('an unknown operation is refused', async () => {
	const { error } = await execute('sendVideo');
	expect(error?.message).toBe("'sendVideo' is not a choice of 'Operation'");
	expect(error?.description).toMatch(/^Choose one of Get .*, Send Image\.$/);
	expect(server.requests).toEqual([]);
});

test.each(['getStatus', 'sendImage'])(
	'canceling %s ends the delay before a retry',
	async (operation) => {
		const { sleepUnlessAborted } = sleeping;
		let cancel = () => {};
		jest.spyOn(sleeping, 'sleepUnlessAborted').mockImplementation(async (ms, signal) => {
			if (ms === 50_000) setImmediate(cancel);
			return await sleepUnlessAborted(ms, signal);
		});
		server.respondWith({ status: 429, headers: { 'retry-after': '50' } });
		const onStart: NodeRun['onStart'] = (execution) => (cancel = () => execution.cancel());
		const { status } = await execute(operation, {}, { onStart });
		expect(status).toBe('canceled');
		expect(server.requests).toHaveLength(1);
	},
	// Half as long as the delay.
	25_000,
);

test('a run with many items leaves no timers behind', async () => {
	const timers = () => process.getActiveResourcesInfo().filter((type) => type === 'Timeout');
	const before = timers().length;
	expect((await run(list(20))).requested).toBe(list(20));
	// The timers of connections take a moment to disappear.
	const haveEnded = (saw: Saw) => saw(timers().length) <= before;
	await waitUntil('the end of its timers', haveEnded, DEFAULT_TIMEOUT_MS / 2);
});

test('Send Image sends the parameters, with the number as digits', async () => {
	server.respondWith({ body: { id: 'm1' } });
	const caption = 'Hi\nthere';
	await execute('sendImage', { number: '+49 (151) 2-3', caption });
	expect(server.requests[0].body).toEqual({ ...IMAGE, number: '4915123', caption });
	expect(server.requests[0].headers['content-type']).toContain('application/json');
});

describe('Get Messages', () => {
	const LISTED = Array.from({ length: 100 }, (_, i) => ({ id: i, nested: { text: `m${i}` } }));

	test('outputs one item per message, untouched, in the order of the service, paired', async () => {
		server.respondWith({ body: LISTED });
		const result = await execute('getMessages', {}, { items: [{}, {}] });
		expect(result.json).toEqual([...LISTED, ...LISTED]);
		const pairs = [0, 1].flatMap((item) => LISTED.map(() => ({ item })));
		expect(pairedItemsOf(result)).toEqual(pairs);
	});

	describe('Output Fields', () => {
		const listed = [
			{ id: 1, chat: { id: 7, title: 'A', tags: [1] }, text: 'x', error: 'e' },
			{ id: 2, chat: null, text: '' },
		];
		const getFields = async (outputFields: unknown, body: unknown = listed) => {
			server.respondWith({ body });
			return await execute('getMessages', { options: { outputFields } as IDataObject });
		};
		const hints = /No message has the field '[^']+'/g;

		test.each([
			['id, text', '[{ "id": 1, "text": "x" }, { "id": 2, "text": "" }]'],
			[' chat.id,id ', '[{ "chat": { "id": 7 }, "id": 1 }, { "id": 2 }]'],
			['chat.id, chat', '[{ "chat": { "id": 7, "title": "A", "tags": [1] } }, { "chat": null }]'],
			['chat.id, chat.title', '[{ "chat": { "id": 7, "title": "A" } }, {}]'],
			['error', '[{ "value": { "error": "e" } }, {}]'],
			['constructor, id.__proto__, id', '[{ "id": 1 }, { "id": 2 }]'],
			['', JSON.stringify(listed)],
		])('%s', async (outputFields, expected) => {
			expect((await getFields(outputFields)).json).toEqual(JSON.parse(expected));
		});

		test('a hint names each field that no message has, if there are any', async () => {
			expect((await getFields('sender', [])).stored.match(hints)).toBeNull();
			const { stored, error } = await getFields('id, sender, chat.name, error');
			expect(error).toBeUndefined();
			expect(stored.match(hints)).toEqual([
				"No message has the field 'sender'",
				"No message has the field 'chat.name'",
			]);
		});

		test.each([
			['that are not text', ['id'], "'Output Fields' is not text"],
			['that n8n would have to evaluate', '{{ $json.id }}', "'Output Fields' contains {{"],
		])('%s are refused', async (_what, outputFields, message) => {
			expect((await getFields(outputFields)).error?.message).toBe(message);
		});
	});

	test.each([
		[{ returnAll: false }, 50],
		[{ returnAll: false, limit: 1 }, 1],
		[{ returnAll: false, limit: 100 }, 100],
		[{ returnAll: true, limit: 1 }, 100],
	])('with %j outputs the last %d and sends no query', async (parameters, count) => {
		server.respondWith({ body: LISTED });
		const { json } = await execute('getMessages', parameters);
		expect(json).toEqual(LISTED.slice(-count));
		expect(paths()).toEqual(['/v1/messages']);
	});

	test('with a Limit outputs the last ones if it is not clear which are the newest, and a hint says so', async () => {
		server.respondWith({ body: [{ id: 'b' }, { id: 'a' }] });
		const parameters = { returnAll: false, limit: 1 };
		const result = await execute('getMessages', parameters, { items: [{}, {}] });
		expect(result.json).toEqual([{ id: 'a' }, { id: 'a' }]);
		expect(result.stored.split('It is not clear which messages are the newest').length - 1).toBe(1);
		const all = await execute('getMessages', { ...parameters, limit: 2 });
		expect(all.stored).not.toContain('Nothing tells');
	});

	test.each([0, 101, 1.5])('refuses a Limit of %j', async (limit) => {
		const { error } = await execute('getMessages', { returnAll: false, limit });
		expect(error?.message).toContain("'Limit'");
		expect(error?.description).toContain("'Return All'");
		expect(server.requests).toEqual([]);
	});

	describe('with a Page Parameter', () => {
		const paged = (options: IDataObject = {}, parameters: IDataObject = {}) =>
			execute('getMessages', { ...parameters, options: { pageParameter: 'p', ...options } });

		test('reads at most Page Limit, and no more than Limit requires', async () => {
			server.onRequest(({ path }) => ({ body: [{ path }, { path, second: true }] }));
			expect((await paged({ maxPages: 3 })).json).toHaveLength(6);
			expect(paths()).toEqual([0, 1, 2].map((page) => `/v1/messages?p=${page}`));
			expect((await paged({}, { returnAll: false, limit: 3 })).json).toHaveLength(3);
			expect(paths()).toHaveLength(5);
			expect((await paged({}, { returnAll: false, limit: 4 })).json).toHaveLength(4);
			expect(paths()).toHaveLength(7);
		});

		test.each([
			[{}, 'Page 0 has no messages, but page 1 has some'],
			[{ firstPage: 2 }, undefined],
		])('with %j and an empty first page: %s', async (options, message) => {
			server.onRequest(({ path }) => ({ body: /=[02]$/.test(path) ? [] : [{ id: 1 }] }));
			expect((await paged(options)).error?.message).toBe(message);
		});

		test('outputs nothing if a page fails three times', async () => {
			server.onRequest(({ path }) => (path.endsWith('=1') ? DROPPED : { body: [{ id: 1 }] }));
			const { error } = await paged();
			expect(error?.message).toContain('was lost');
			expect(paths()).toHaveLength(4);
		});
	});
});

// n8n also replaces messages that contain a network code.
const HOST = { status: 302, headers: { location: 'https://econnreset.canceled.example.com/' } };
const REDIRECTS =
	'The service redirects to https://econnreset.cancelled.example.com, and the redirect was not followed (HTTP 302)';

test.each([
	['in a host name', HOST, IMAGE.number, REDIRECTS],
	['in a cell', {}, 'canceled', "'cancelled' is not a phone number"],
])('the word that n8n takes for a stop makes none %s', async (_where, script, number, message) => {
	server.respondWith(script);
	const { error, status } = await execute('sendImage', { number });
	expect(error?.message).toBe(message);
	expect(status).toBe('error');
});

describe('a failing item', () => {
	const ITEMS = '1 2 bad 4';
	const answers = { 2: { status: 422, body: { message: 'No such chat' } } };
	const REFUSED = 'The service refused the request and gave this reason. The image was not sent.';
	const failed = (message: string, more: object) => ({
		error: { message, delivery: 'notSent', ...more },
	});
	const why = { description: REFUSED, httpCode: '422' };
	const refused = failed('No such chat (HTTP 422) [item 1]', why);
	const invalid = failed("'4915100bad' is not a phone number [item 2]", {
		description: expect.stringContaining('e.g. +1 202') as string,
	});

	test('keeps its position with On Error "Continue"', async () => {
		const result = await run(ITEMS, { answers, settings: CONTINUE });
		expect(result.json).toEqual([{ id: 'm1' }, refused, invalid, { id: 'm4' }]);
		expect(pairedItemsOf(result)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }, { item: 3 }]);
	});

	test('stops the node with On Error "Stop", and nothing is sent after it', async () => {
		const { error, requested } = await run(ITEMS, { answers });
		expect(error?.name).toBe('NodeApiError');
		expect(error?.message).toBe(refused.error.message);
		expect(error?.description).toBe(
			`${REFUSED} Items completed before the stop: 1 of 4. If you execute the workflow again, those who have the image get it again. To send only the rest, open 'Executions', click the curved arrow of this one, and choose 'Retry with currently saved workflow'. It does not read your rows again: put corrected ones in a sheet of their own, and execute the workflow with it.`,
		);
		expect(error).toHaveProperty('httpCode', '422');
		expect(error?.context.itemIndex).toBe(1);
		expect(requested).toBe('1 2');
	});

	test('of a tool stops it with our text alone, which begins with what a model must not do', async () => {
		const answers = { 1: { status: 500, body: { message: 'A preexisting chat' } } };
		const { error } = await run('1', { answers, settings: { type: TOOL } });
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message:
				'The image may have been sent: do not send it again. Ask the user to check the chat. A preexisting chat (HTTP 500). The service reported a fault of its own and gave this reason.',
		});
		expect(error!.description).toBeUndefined();
	});

	test('is impossible with an error output of a tool, which tells an agent nothing, so nothing is sent', async () => {
		const settings = { type: TOOL, onError: 'continueErrorOutput' } as const;
		const { error, requested } = await run('1', { settings });
		expect(error?.message).toMatch(/^Nothing was done: n8n tells an agent nothing about a tool/);
		expect(requested).toBe('');
	});

	test('that has come back with its error counts how often', async () => {
		const items = [{ number: 'bad', error: { message: 'x', repeats: 1 } }, { number: '1' }];
		const { json } = await run(items, { round: 3, settings: CONTINUE });
		expect(json).toEqual([
			{ error: expect.objectContaining({ delivery: 'notSent', repeats: 2 }) },
			{ id: 'm1' },
		]);
	});

	test('because of the credential makes every item fail', async () => {
		const credential = { clientId: 'x', token: 'Zq-\nZq-' };
		const result = await run('1 2 3', { settings: CONTINUE, credential });
		expect(result).toMatchObject({ results: 'notSent notSent notSent', requested: '' });
		expect(result.errors[0]).toContain("'Token'");
		expect(result.stored).not.toContain('Zq-');
	});
});

const echo = `${clientId} / ${token}`;
const body = { headers: { 'client-id': clientId }, message: echo };
const headers = { location: `http://x/?${echo}` };

test.each([
	['an echo with status 200', { status: 200, body }],
	['an echo with status 302', { status: 302, body, headers }],
	['an echo with status 422', { status: 422, body }],
	['a dropped connection', DROPPED],
])('the client ID and the token are not stored after %s', async (_what, script) => {
	for (const onError of [undefined, 'continueErrorOutput'] as const) {
		server.respondWith(script);
		const { stored } = await execute('sendImage', {}, { settings: { onError } });
		expect(stored).toContain('Messaging Account');
		expect(stored).not.toContain(clientId);
		expect(stored).not.toContain(token);
	}
	expect(server.requests).toHaveLength(2);
});
