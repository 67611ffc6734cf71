import { NodeApiError, type IDataObject, type JsonObject } from 'n8n-workflow';

import { classify } from '../../../nodes/MessagingAccount/errors/classifyResult';
import { findNetworkCode } from '../../../nodes/MessagingAccount/errors/networkCode';
import { DEFAULT_TIMEOUT_MS } from '../../../nodes/MessagingAccount/transport/request';
import { CREDENTIAL, runNode, type NodeRun } from '../../support/engine';
import { type Fault, FAULTS, printTable } from '../../support/faults';
import { useNoJitter } from '../../support/noJitter';
import { useScriptedServer, type Script } from '../../support/scriptedServer';
import { interceptRequests, NOT_SIMULATED } from '../../support/simulation';
import { createSingleNodeWorkflow } from '../../support/singleNodeWorkflow';

const SEND = {
	operation: 'sendImage',
	number: '=4915100{{ $json.number }}',
	url: 'https://example.com/a.png',
};

useNoJitter();
const server = useScriptedServer();

afterEach(() => {
	jest.useRealTimers();
});

/**
 * Lets a request that hangs time out as soon as all has happened that can: no verdict depends on how long that takes.
 *
 * @returns a function to call when the server has it
 */
function createTimeout({ hangsAfter }: Pick<Fault, 'hangsAfter'>): () => void {
	if (!hangsAfter) return () => {};
	jest.useFakeTimers({ doNotFake: NOT_SIMULATED, advanceTimers: true });
	const timeOut = () => void setImmediate(() => jest.advanceTimersByTime(DEFAULT_TIMEOUT_MS));
	if (hangsAfter === 'request') return timeOut;
	let hangs = false;
	interceptRequests(async (send, signal) => {
		const response = await send(signal);
		if (hangs) timeOut();
		hangs = false;
		return response;
	});
	return () => {
		hangs = true;
	};
}

const execute = (parameters: IDataObject, more: Partial<NodeRun> = {}) =>
	runNode({
		parameters: parameters as NodeRun['parameters'],
		settings: { onError: 'continueRegularOutput' },
		credential: { baseUrl: server.url, ...CREDENTIAL },
		...more,
	});

describe('a send', () => {
	const rows: object[] = [];

	test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
		'with %s',
		async (_name, fault) => {
			let delivered = 0;
			const startTimeout = createTimeout(fault);
			server.onRequest((request) => {
				if ((request.body as IDataObject).number !== '49151002') return { body: { id: 'm' } };
				if (fault.delivers) delivered++;
				startTimeout();
				return fault.script;
			});
			const result = await execute(SEND, {
				items: ['1', '2', '3'].map((number) => ({ number })),
			});
			const [before, failed, after] = result.outputs[0].map(({ json }) => json);
			const { message, description, delivery } = failed.error as IDataObject;
			const attempts = server.requests.filter(
				({ body }) => (body as IDataObject).number === '49151002',
			).length;
			rows.push({ fault: fault.name, attempts, delivery, messages: delivered });

			expect([before, after]).toEqual([{ id: 'm' }, { id: 'm' }]);
			expect(delivery).toBe(fault.delivery);
			expect(delivered).toBe(fault.delivers ? 1 : 0);
			expect(attempts).toBe(fault.attempts.send);
			expect(message).toContain('[item 1]');
			if (delivery === 'unknown') {
				expect(description).toContain('check the chat');
				expect(`${String(message)} ${String(description)}`).not.toMatch(/retry|try again/i);
			}
		},
	);

	afterAll(() => printTable('Send Image under faults', rows));
});

describe.each(['getStatus', 'getMessages'])('%s', (operation) => {
	// A read may accept these responses, which a send cannot use.
	const usable = ['an object without the field'];
	if (operation === 'getMessages') usable.push('HTTP 204', 'an empty body', 'null');
	const faults = FAULTS.filter(({ name }) => !usable.includes(name));

	test.each(faults.map((fault) => [fault.name, fault] as const))(
		'is retried only if that is useful after %s',
		async (_name, fault) => {
			const startTimeout = createTimeout(fault);
			server.onRequest(() => {
				startTimeout();
				return fault.script;
			});
			const result = await execute({ operation });
			expect(result.outputs[0][0].json).toHaveProperty('error.message');
			expect(result.outputs[0][0].json).not.toHaveProperty('error.delivery');
			expect(server.requests).toHaveLength(fault.attempts.read);
		},
	);

	test('succeeds with the second attempt', async () => {
		server.onRequest(() =>
			server.requests.length < 2 ? { status: 502 } : { body: { is_connected: true, list: [] } },
		);
		const { error } = await execute({ operation }, { settings: {} });
		expect(error).toBeUndefined();
		expect(server.requests).toHaveLength(2);
	});
});

/** n8n-core's helper wraps the error of its SSRF protection in one of this n8n version. */
test.each([
	'The request was blocked because it resolves to a restricted IP address',
	'The request was blocked because the destination hostname is restricted',
])('a request that n8n blocks counts as not sent: %s', (message) => {
	const blocked = Object.assign(new Error(message), { name: 'SsrfBlockedIpError' });
	const { node } = createSingleNodeWorkflow({ parameters: {} });
	const code = findNetworkCode(new NodeApiError(node, blocked as unknown as JsonObject));
	expect(classify({ code })).toEqual({ delivery: 'notSent', retryable: 'never' });
});

describe('a refused connection', () => {
	test('is retried, even for a send', async () => {
		await server.close();
		const refused = await execute(SEND, { items: [{ number: '1' }] });
		expect(refused.outputs[0][0].json.error).toMatchObject({
			message: expect.stringContaining('refused the connection') as string,
			description: expect.stringContaining('Tried 3 times.') as string,
			delivery: 'notSent',
		});
	});
});

describe('unusual responses that can be used', () => {
	test('a list of 20 MB', async () => {
		const text = 'x'.repeat(200_000);
		const messages = Array.from({ length: 100 }, (_, id) => ({ id, text }));
		server.respondWith({ body: messages });
		const { outputs } = await execute({ operation: 'getMessages', options: {} }, { settings: {} });
		expect(outputs[0]).toHaveLength(100);
		expect(outputs[0][99].json).toEqual(messages[99]);
	});

	test('JSON with the content type of a web page, a byte order mark and duplicate headers', async () => {
		server.respondWith((response) => {
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

	test('__proto__ as a field name: keeps the other fields and changes no prototype', async () => {
		server.respondWith({
			body: '[{"id": 1, "__proto__": {"polluted": true}, "a": {"__proto__": 2}}]',
		});
		const { outputs } = await execute({ operation: 'getMessages' });
		const { json } = outputs[0][0];
		expect(json).toEqual({ id: 1, a: {} });
		expect(json).not.toHaveProperty('polluted');
		expect({}).not.toHaveProperty('polluted');
	});

	test('names that n8n gives a meaning: the other fields arrive, in each operation', async () => {
		const named = { $error: { message: 'x' }, $json: {} };
		const renamed = { _$error: { message: 'x' }, _$json: {} };
		server.onRequest(({ path }) => ({
			body: path.endsWith('messages')
				? [{ id: 1, ...named }, { error: 'Gone' }]
				: { id: 'm', is_connected: true, ...named },
		}));
		for (const onError of ['continueErrorOutput', 'stopWorkflow'] as const) {
			const [sent, status, messages] = await Promise.all(
				['sendImage', 'getStatus', 'getMessages'].map(async (operation) => {
					const items = [{ number: '49151' }];
					return await execute({ ...SEND, operation }, { items, settings: { onError } });
				}),
			);
			const [sentItems, statusItems, messageItems] = [sent, status, messages].map(
				({ outputs: [items, failed = []] }) => {
					expect(failed).toEqual([]);
					return items.map(({ json }) => json);
				},
			);
			expect(sentItems).toEqual([{ id: 'm', is_connected: true, ...renamed }]);
			expect(statusItems).toEqual(sentItems);
			expect(messageItems).toEqual([{ id: 1, ...renamed }, { value: { error: 'Gone' } }]);
		}
	});

	const endless: Script = (_response, socket) =>
		socket.write('HTTP/1.1 422 No\r\ncontent-length: 100\r\n\r\n{"mess');

	test.each<[string, Script, Pick<Fault, 'hangsAfter'>]>([
		['an endless body', endless, { hangsAfter: 'status' }],
		[
			'a body of more than 64 kB',
			{ status: 422, body: { message: 'No', more: 'x'.repeat(65_536) } },
			{},
		],
	])(
		'an error response with %s is still an error response, without its text',
		async (_what, script, fault) => {
			const startTimeout = createTimeout(fault);
			server.onRequest(() => {
				startTimeout();
				return script;
			});
			const { outputs } = await execute(SEND, { items: [{ number: '1' }] });
			expect(outputs[0][0].json.error).toMatchObject({
				httpCode: '422',
				description: expect.stringMatching(/^Check the parameters/) as string,
				delivery: 'notSent',
			});
		},
	);
});

describe('the client ID and the token in a 2xx response', () => {
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
		server.respondWith({ body });
		const { outputs, stored } = await execute({ ...SEND, operation }, { items: [{ number: '1' }] });
		expect(JSON.stringify(outputs)).toContain('***');
		expect(stored).not.toContain(CREDENTIAL.clientId);
		expect(stored).not.toContain(CREDENTIAL.token);
	});
});
