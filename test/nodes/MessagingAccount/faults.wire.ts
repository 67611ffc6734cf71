import { NodeApiError, type IDataObject, type JsonObject } from 'n8n-workflow';

import { classify } from '../../../nodes/MessagingAccount/errors/classify';
import { findNetworkCode } from '../../../nodes/MessagingAccount/errors/networkCodes';
import { DEFAULT_TIMEOUT_MS } from '../../../nodes/MessagingAccount/transport/request';
import { CREDENTIAL, runNode, type NodeRun } from '../../support/engine';
import { FAULTS, printTable, SHORT_TIMEOUT_MS } from '../../support/faults';
import { loneNode } from '../../support/loneNode';
import { startScriptedServer, type ScriptedServer } from '../../support/scriptedServer';

const SEND = {
	operation: 'sendImage',
	number: '={{ $json.number }}',
	url: 'https://example.com/a.png',
};

let server: ScriptedServer;

beforeEach(async () => {
	// Full jitter may choose not to wait at all.
	jest.spyOn(Math, 'random').mockReturnValue(0);
	server = await startScriptedServer();
});

afterEach(async () => {
	jest.restoreAllMocks();
	await server.close();
});

const execute = (parameters: IDataObject, more: Partial<NodeRun> = {}) =>
	runNode({
		parameters: parameters as NodeRun['parameters'],
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});

describe('a send that meets', () => {
	const rows: object[] = [];

	test.each(FAULTS.map((fault) => [fault.name, fault] as const))('%s', async (_name, fault) => {
		let delivered = 0;
		server.answerEach(({ body }) => {
			if ((body as IDataObject).number !== '2') return { body: { id: 'm' } };
			if (fault.delivers) delivered++;
			return fault.script;
		});
		const { timeout = DEFAULT_TIMEOUT_MS } = fault;
		const options = { timeout: `={{ $json.number === "2" ? ${timeout} : ${DEFAULT_TIMEOUT_MS} }}` };
		const result = await execute(
			{ ...SEND, options },
			{ items: ['1', '2', '3'].map((number) => ({ number })) },
		);
		const [before, failed, after] = result.outputs[0].map(({ json }) => json);
		const { message, description, delivery } = failed.error as IDataObject;
		const attempts = server.requests.filter(
			({ body }) => (body as IDataObject).number === '2',
		).length;
		rows.push({ fault: fault.name, attempts, outcome: delivery, messages: delivered });

		expect([before, after]).toEqual([{ id: 'm' }, { id: 'm' }]);
		expect(delivery).toBe(fault.delivery);
		expect(attempts).toBe(fault.tries.send);
		expect(delivered).toBeLessThanOrEqual(1);
		expect(message).toContain('[item 1]');
		if (delivery === 'unknown') {
			expect(description).toContain('check the chat');
			expect(`${String(message)} ${String(description)}`).not.toMatch(/retry|try again/i);
		}
	});

	afterAll(() => printTable('Send Image under faults', rows));
});

describe.each(['getStatus', 'getMessages'])('%s', (operation) => {
	// What cannot be used as the answer to a send may be one to a read.
	const faults = FAULTS.filter(({ name }) => name !== 'an object without the field');

	test.each(faults.map((fault) => [fault.name, fault] as const))(
		'asks as often as it is worth it after %s',
		async (_name, fault) => {
			server.answer(fault.script);
			const options = { timeout: fault.timeout ?? DEFAULT_TIMEOUT_MS };
			const result = await execute({ operation, options });
			expect(result.outputs[0][0].json).toHaveProperty('error.message');
			expect(result.outputs[0][0].json).not.toHaveProperty('error.delivery');
			expect(server.requests).toHaveLength(fault.tries.read);
		},
	);

	test('is content with an answer to its second try', async () => {
		server.answerEach(() =>
			server.requests.length < 2 ? { status: 502 } : { body: { is_connected: true, list: [] } },
		);
		const { error } = await execute({ operation }, { settings: {} });
		expect(error).toBeUndefined();
		expect(server.requests).toHaveLength(2);
	});
});

/** As n8n-core's helper passes it on: an error of this n8n version, around that of its protection. */
test.each([
	'The request was blocked because it resolves to a restricted IP address',
	'The request was blocked because the destination hostname is restricted',
])('what n8n does not let through has not left: %s', (message) => {
	const blocked = Object.assign(new Error(message), { name: 'SsrfBlockedIpError' });
	const { node } = loneNode({ parameters: {} });
	const code = findNetworkCode(new NodeApiError(node, blocked as unknown as JsonObject));
	expect(classify({ code })).toEqual({ delivery: 'notSent', retryable: 'never' });
});

describe('a refused connection', () => {
	test('is tried again, also for a send', async () => {
		await server.close();
		const refused = await execute(SEND, { items: [{ number: '1' }] });
		expect(refused.outputs[0][0].json.error).toMatchObject({
			message: expect.stringContaining('refused the connection') as string,
			description: expect.stringContaining('Tried 3 times.') as string,
			delivery: 'notSent',
		});
		server = await startScriptedServer();
	});
});

describe('odd answers that can be used', () => {
	test('a list of 20 MB', async () => {
		const text = 'x'.repeat(200_000);
		const messages = Array.from({ length: 100 }, (_, id) => ({ id, text }));
		server.answer({ body: messages });
		const { outputs } = await execute({ operation: 'getMessages', options: {} }, { settings: {} });
		expect(outputs[0]).toHaveLength(100);
		expect(outputs[0][99].json).toEqual(messages[99]);
	});

	test('JSON with the content type of a page, a byte order mark, and headers that come twice', async () => {
		server.answer((response) => {
			response.writeHead(200, [
				['content-type', 'text/html'],
				['x-twice', 'a'],
				['x-twice', 'b'],
			] as unknown as string[]);
			response.end('\ufeff{"id": "m1"}');
		});
		const { outputs } = await execute(SEND, { items: [{ number: '1' }] });
		expect(outputs[0][0].json).toEqual({ id: 'm1' });
	});

	test('__proto__ as a field name: the rest is kept, no prototype is changed', async () => {
		server.answer({ body: '[{"id": 1, "__proto__": {"polluted": true}, "a": {"__proto__": 2}}]' });
		const { outputs } = await execute({ operation: 'getMessages' });
		const { json } = outputs[0][0];
		expect(json).toEqual({ id: 1, a: {} });
		expect(json).not.toHaveProperty('polluted');
		expect({}).not.toHaveProperty('polluted');
	});

	test('a refusal whose body never ends is a refusal all the same', async () => {
		server.answer((_response, socket) => {
			socket.write('HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\n{"mess');
		});
		const options = { timeout: SHORT_TIMEOUT_MS };
		const { outputs } = await execute({ ...SEND, options }, { items: [{ number: '1' }] });
		expect(outputs[0][0].json.error).toMatchObject({
			httpCode: '422',
			description: expect.stringMatching(/^Check the parameters/) as string,
			delivery: 'notSent',
		});
	});
});

describe('Retry-After', () => {
	test('is waited for, and no wait is made up instead', async () => {
		jest.spyOn(Math, 'random').mockReturnValue(0.999);
		server.answerEach(() =>
			server.requests.length < 3
				? { status: 503, headers: { 'retry-after': '0' } }
				: { body: { id: 'm' } },
		);
		const { outputs } = await execute(SEND, { items: [{ number: '1' }] });
		expect(outputs[0][0].json).toEqual({ id: 'm' });
	});
});

describe('the client id and the token in a 2xx answer', () => {
	const echo = {
		'client-id': CREDENTIAL.clientId,
		token: CREDENTIAL.token,
		[`x-${CREDENTIAL.token}`]: `Bearer ${CREDENTIAL.token}, ${encodeURIComponent(CREDENTIAL.clientId)}`,
	};

	test.each([
		['getStatus', { is_connected: true, headers: echo }],
		['sendImage', { id: `m-${CREDENTIAL.clientId}`, headers: echo }],
		['getMessages', [{ id: 1, text: JSON.stringify(echo) }]],
	])('of %s do not reach the items', async (operation, body) => {
		server.answer({ body });
		const { outputs, stored } = await execute({ ...SEND, operation }, { items: [{ number: '1' }] });
		expect(JSON.stringify(outputs)).toContain('***');
		expect(stored).not.toContain(CREDENTIAL.clientId);
		expect(stored).not.toContain(CREDENTIAL.token);
	});
});
