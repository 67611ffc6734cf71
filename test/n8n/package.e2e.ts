/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment which n8n they run on */
import type { IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/examples';
import { outputsOf } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { saveCredential, saveWorkflow, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const NODE = 'Messaging Account';

let service: EmbeddedService;
let n8n: RealN8n;
let credentials: INode['credentials'];

beforeAll(async () => {
	service = await startService(CREDENTIALS);
	n8n = await startRealN8n();
	credentials = await saveCredential(n8n.rest, { baseUrl: service.url, ...CREDENTIALS });
});

afterAll(async () => {
	await n8n?.stop();
	await service?.close();
});

const scan = () => service.account.scan(service.account.qrText);
const picture = () => `${service.url}/pictures/sample.png`;

async function run(
	parameters: IDataObject,
	items: IDataObject[] = [{}],
	onError?: INode['onError'],
) {
	const workflow = await saveWorkflow(n8n.rest, { parameters, onError, credentials }, items);
	const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	const jsonOf = (node: string, output = 0) =>
		outputsOf(execution, node)[output]?.map(({ json }) => json) ?? [];
	return { execution, jsonOf };
}

describe('the node', () => {
	test('is in the node panel, also as a tool for agents, with its icons', async () => {
		const types = JSON.parse(String(await n8n.rest.file('/types/nodes.json'))) as Array<{
			name: string;
			codex?: { categories: string[] };
			iconUrl: { light: string; dark: string };
		}>;
		const prefix = 'n8n-nodes-messaging-account.';
		const ours = types.filter(({ name }) => name.startsWith(prefix));
		expect(ours.map(({ name }) => name).sort()).toEqual([
			`${prefix}messagingAccount`,
			`${prefix}messagingAccountTool`,
			`${prefix}messagingAccountTrigger`,
		]);
		const [{ iconUrl, codex }] = ours;
		expect(codex?.categories).toEqual(['Communication']);
		for (const icon of [iconUrl.light, iconUrl.dark]) {
			const response = await fetch(`${n8n.rest.url}/${icon}`);
			expect(response.headers.get('content-type')).toContain('svg');
			expect(await response.text()).toContain('<svg');
		}
		expect(iconUrl.light).not.toBe(iconUrl.dark);
	});
});

describe('the credential', () => {
	/** Where the service answers with another status than 2xx, n8n 1 has words of its own. */
	const inWords = (ours: string, ofN8n1: string) =>
		process.env.TEST_N8N_VERSION?.startsWith('1.') ? ofN8n1 : ours;

	let server: ScriptedServer;

	beforeEach(async () => {
		server = await startScriptedServer();
	});

	afterEach(async () => {
		await server.close();
		service.account.logOut();
	});

	const testIt = async (data: IDataObject) =>
		await n8n.rest.post<{ status: string; message: string }>('/rest/credentials/test', {
			credentials: {
				id: credentials!.messagingAccountApi.id,
				name: 'x',
				type: 'messagingAccountApi',
				data: { baseUrl: service.url, ...CREDENTIALS, ...data },
			},
		});

	test('passes for a linked account, and carries both headers', async () => {
		scan();
		expect(await testIt({})).toMatchObject({ status: 'OK' });
		server.answer({ body: { is_connected: true } });
		await testIt({ baseUrl: server.url });
		expect(server.requests).toMatchObject([
			{
				method: 'GET',
				path: '/v1/status',
				headers: { 'client-id': CREDENTIALS.clientId, token: CREDENTIALS.token },
			},
		]);
	});

	test('passes for an account that waits for its scan', async () => {
		expect(await testIt({})).toMatchObject({ status: 'OK' });
	});

	test.each([' ', '/', '///', '/v1', '/v1/'])(
		'passes with %j after the Base URL',
		async (ending) => {
			expect(await testIt({ baseUrl: ` ${service.url}${ending}` })).toMatchObject({ status: 'OK' });
		},
	);

	test.each([{ token: 'wrong' }, { clientId: 'wrong' }])('fails with %j', async (wrong) => {
		expect(await testIt(wrong)).toEqual({
			status: 'Error',
			message: inWords(
				"The service refused these credentials. Check 'Client ID' and 'Token'.",
				'Authorization failed - please check your credentials',
			),
		});
	});

	test.each([
		['a web page', { body: '<!doctype html><html></html>' }, 'Unexpected response'],
		['a page after blank lines', { body: '\n\n<html></html>' }, 'Unexpected response'],
		['nothing', { body: '' }, 'Unexpected response'],
		['null', { body: null }, 'Unexpected response'],
		['404', { status: 404 }, inWords("Check 'Base URL'", 'could not be found')],
		['503', { status: 503 }, inWords('could not process the request', 'unavailable')],
	])('fails where %s comes back', async (_what, script, words) => {
		server.answer(script);
		const { status, message } = await testIt({ baseUrl: server.url });
		expect(status).toBe('Error');
		expect(message).toContain(words);
	});

	test.each([301, 302, 303, 307, 308])(
		'fails at a redirect %d, and hands nothing to its target',
		async (status) => {
			const target = await startScriptedServer();
			server.answer({ status, headers: { location: `${target.url}/v1/status` } });
			const result = await testIt({ baseUrl: server.url });
			await target.close();
			expect(result.status).toBe('Error');
			expect(result.message).toContain(inWords('redirects', String(status)));
			expect(target.requests).toEqual([]);
		},
	);

	test.each([
		['clientId', "'Client ID'"],
		['token', "'Token'"],
	])(
		'fails with a %s that cannot be sent, naming the field, not its value',
		async (name, field) => {
			server.answer({ body: { is_connected: true } });
			const result = await testIt({ baseUrl: server.url, [name]: 'Zq\nZqé' });
			expect(result.status).toBe('Error');
			expect(result.message).toContain(field);
			expect(result.message).not.toContain('Zq');
			expect(server.requests).toEqual([]);
		},
	);
});

describe('the operations', () => {
	test('Get Status shows the QR code, Send Image sends, Get Messages lists', async () => {
		const before = await run({ operation: 'getStatus' });
		const [item] = outputsOf(before.execution, NODE)[0];
		expect(item.json).toMatchObject({ is_connected: false });

		const { id, data, mimeType } = item.binary!.qr;
		expect(mimeType).toBe('image/png');
		// n8n 1 keeps a picture in the item.
		const stored = id
			? await n8n.rest.file(`/rest/binary-data?id=${id}&action=view`)
			: Buffer.from(data, 'base64');
		expect(service.account.scan(readQrCode(stored))).toBe(true);

		const after = await run({ operation: 'getStatus' });
		expect(after.jsonOf(NODE)).toEqual([{ is_connected: true }]);

		const sent = await run(
			{
				operation: 'sendImage',
				number: '={{ $json.number }}',
				url: picture(),
				caption: '={{ $json.text }}',
			},
			[
				{ number: '+49 151', text: 'One' },
				{ number: 49152, text: '' },
			],
		);
		const ids = sent.jsonOf(NODE).map((json) => json.id);
		expect(outputsOf(sent.execution, NODE)[0].map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
		]);

		const messages = await run({ operation: 'getMessages', returnAll: false, limit: 2 });
		expect(messages.jsonOf(NODE)).toMatchObject([
			{ id: ids[0], number: '49151', caption: 'One' },
			{ id: ids[1], number: '49152' },
		]);
		expect(messages.jsonOf(NODE)[1]).not.toHaveProperty('caption');
	});
});

describe('On Error', () => {
	const SEND = {
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: '={{ $json.url }}',
	};
	const items = () => [
		{ number: '1', url: picture() },
		{ number: '2', url: `${service.url}/pictures/none.png` },
		{ number: 'nobody', url: picture() },
		{ number: '4', url: picture() },
	];
	const deadLink = {
		error: {
			message: 'The service refused the request (HTTP 422) [item 1]',
			description: expect.stringContaining('its address answers 404') as string,
			httpCode: '422',
			delivery: 'notSent',
		},
	};
	const noNumber = {
		error: { message: "'Number' is not a phone number [item 2]", delivery: 'notSent' },
	};

	beforeAll(() => {
		scan();
	});

	test('"Stop" ends the execution at the failing item, and sends nothing after it', async () => {
		const before = service.account.chats.get('4')?.length ?? 0;
		const { execution } = await run(SEND, items());
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error).toMatchObject({
			name: 'NodeApiError',
			message: deadLink.error.message,
			context: { itemIndex: 1 },
		});
		expect(service.account.chats.get('4')?.length ?? 0).toBe(before);
	});

	test('"Continue" keeps failed items in their places', async () => {
		const { execution, jsonOf } = await run(SEND, items(), 'continueRegularOutput');
		expect(execution.status).toBe('success');
		expect(jsonOf('Success')).toMatchObject([
			{ id: expect.any(String) as string },
			deadLink,
			noNumber,
			{ id: expect.any(String) as string },
		]);
		expect(jsonOf('Failure')).toEqual([]);
	});

	test('"Continue (using error output)" parts them', async () => {
		const { execution, jsonOf } = await run(SEND, items(), 'continueErrorOutput');
		expect(execution.status).toBe('success');
		expect(jsonOf('Success')).toEqual([
			{ id: expect.any(String) as string },
			{ id: expect.any(String) as string },
		]);
		expect(jsonOf('Failure')).toMatchObject([deadLink, noNumber]);
		expect(outputsOf(execution, NODE)[1].map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 2 },
		]);
	});
});

test('neither the client id nor the token is in what n8n has logged', async () => {
	const log = await n8n.log();
	expect(log).toContain('n8n ready');
	expect(log).not.toContain(CREDENTIALS.clientId);
	expect(log).not.toContain(CREDENTIALS.token);
});
