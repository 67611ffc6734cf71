import type { IDataObject, INode } from 'n8n-workflow';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { findFreePort } from '../support/ports';
import { startScriptedServer, useScriptedServer } from '../support/scriptedServer';
import { testOnN8n2 } from './skipByVersion';
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
		const ownTypes = types.filter(({ name }) => name.startsWith(prefix));
		expect(ownTypes.map(({ name }) => name).sort()).toEqual([
			`${prefix}messagingAccount`,
			`${prefix}messagingAccountTool`,
			`${prefix}messagingAccountTrigger`,
		]);
		const [{ iconUrl, codex }] = ownTypes;
		expect(codex?.categories).toEqual(['Communication']);
		for (const icon of [iconUrl.light, iconUrl.dark]) {
			const response = await fetch(`${n8n.rest.url}/${icon}`);
			expect(response.headers.get('content-type')).toContain('svg');
			expect(await response.text()).toContain('<svg');
		}
		expect(iconUrl.light).not.toBe(iconUrl.dark);
	});

	testOnN8n2(
		"is what an agent finds through n8n's MCP server, with what to know of it",
		async () => {
			const { rest } = n8n;
			await rest.patch('/rest/mcp/settings', { mcpAccessEnabled: true });
			const { apiKey } = await rest.get<{ apiKey: string }>('/rest/mcp/api-key');
			const response = await fetch(`${rest.url}/mcp-server/http`, {
				method: 'POST',
				headers: {
					authorization: `Bearer ${apiKey}`,
					'content-type': 'application/json',
					accept: 'application/json, text/event-stream',
				},
				body: JSON.stringify({
					jsonrpc: '2.0',
					id: 1,
					method: 'tools/call',
					params: { name: 'search_nodes', arguments: { queries: ['send picture'] } },
				}),
			});
			const answer = await response.text();
			expect(answer).toContain('\\n- n8n-nodes-messaging-account.messagingAccount\\n');
			expect(answer).toContain('@builderHint Sends an image');
			expect(answer).toContain('@builderHint Polls a messaging account');
		},
	);
});

describe('the credential', () => {
	const server = useScriptedServer();

	afterEach(() => {
		service.account.logOut();
	});

	const testCredential = async (data: IDataObject) =>
		await n8n.rest.post<{ status: string; message: string }>('/rest/credentials/test', {
			credentials: {
				id: credentials!.messagingAccountApi.id,
				name: 'x',
				type: 'messagingAccountApi',
				data: { baseUrl: service.url, ...CREDENTIALS, ...data },
			},
		});

	test('passes for a linked account, and sends both headers', async () => {
		scan();
		expect(await testCredential({})).toMatchObject({ status: 'OK' });
		server.respondWith({ body: { is_connected: true } });
		await testCredential({ baseUrl: server.url });
		expect(server.requests).toMatchObject([
			{
				method: 'GET',
				path: '/v1/status',
				headers: { 'client-id': CREDENTIALS.clientId, token: CREDENTIALS.token },
			},
		]);
	});

	test('passes for an account that waits for its QR code to be scanned', async () => {
		expect(await testCredential({})).toMatchObject({ status: 'OK' });
	});

	test('passes with /v1/ after the Base URL', async () => {
		const baseUrl = ` ${service.url}/v1/`;
		expect(await testCredential({ baseUrl })).toMatchObject({ status: 'OK' });
	});

	test('fails with a wrong token', async () => {
		const { status, message } = await testCredential({ token: 'another' });
		expect(status).toBe('Error');
		expect(message).toBe(
			'The client-id or token header is missing or wrong (HTTP 401). The service refused the request and gave this reason.',
		);
	});

	test('says what is wrong with the address', async () => {
		const baseUrl = `http://127.0.0.1:${await findFreePort()}`;
		expect(await testCredential({ baseUrl })).toMatchObject({
			status: 'Error',
			message: `${baseUrl} refused the connection. Check 'Base URL' in the credential, and that the service is running.`,
		});
	});

	test('fails with a redirect, and sends nothing to its target', async () => {
		const target = await startScriptedServer();
		server.respondWith({ status: 302, headers: { location: `${target.url}/v1/status` } });
		const result = await testCredential({ baseUrl: server.url });
		await target.close();
		expect(result.status).toBe('Error');
		expect(result.message).toContain(`The service redirects to ${target.url}, and`);
		expect(target.requests).toEqual([]);
	});

	test('fails with a token that cannot be sent, and names the field, not its value', async () => {
		const { status, message } = await testCredential({ token: 'Zq\nZqé' });
		expect(status).toBe('Error');
		expect(message).toContain("'Token'");
		expect(message).not.toContain('Zq');
	});
});

describe('the operations', () => {
	test('Get Status shows the QR code, Send Image sends, Get Messages lists', async () => {
		const before = await run({ operation: 'getStatus' });
		const [item] = outputsOf(before.execution, NODE)[0];
		expect(item.json).toMatchObject({ is_connected: false });

		const { id, data, mimeType } = item.binary!.qr;
		expect(mimeType).toBe('image/png');
		// n8n 1 stores the picture in the item.
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
				{ number: '+1 202 555 0143', text: 'One' },
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
			{ id: ids[0], number: '12025550143', caption: 'One' },
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
		{ number: '49151', url: picture() },
		{ number: '49152', url: `${service.url}/pictures/none.png` },
		{ number: 'nobody', url: picture() },
		{ number: '49154', url: picture() },
	];
	const deadLinkError = {
		error: {
			message: 'The image cannot be fetched: its address answers 404 (HTTP 422) [item 1]',
			description: 'The service refused the request and gave this reason. The image was not sent.',
			httpCode: '422',
			delivery: 'notSent',
		},
	};
	const invalidNumberError = {
		error: { message: "'nobody' is not a phone number [item 2]", delivery: 'notSent' },
	};

	beforeAll(() => {
		scan();
	});

	test('"Stop" ends the execution at the failed item, and sends nothing after it', async () => {
		const before = service.account.chats.get('49154')?.length ?? 0;
		const { execution } = await run(SEND, items());
		expect(execution.status).toBe('error');
		expect(execution.data.resultData.error).toMatchObject({
			name: 'NodeApiError',
			message: deadLinkError.error.message,
			context: { itemIndex: 1 },
		});
		expect(service.account.chats.get('49154')?.length ?? 0).toBe(before);
	});

	test('"Continue" keeps failed items in their positions', async () => {
		const { execution, jsonOf } = await run(SEND, items(), 'continueRegularOutput');
		expect(execution.status).toBe('success');
		expect(jsonOf('Success')).toMatchObject([
			{ id: expect.any(String) as string },
			deadLinkError,
			invalidNumberError,
			{ id: expect.any(String) as string },
		]);
		expect(jsonOf('Failure')).toEqual([]);
	});

	test('"Continue (using error output)" separates them', async () => {
		const { execution, jsonOf } = await run(SEND, items(), 'continueErrorOutput');
		expect(execution.status).toBe('success');
		expect(jsonOf('Success')).toEqual([
			{ id: expect.any(String) as string },
			{ id: expect.any(String) as string },
		]);
		expect(jsonOf('Failure')).toMatchObject([deadLinkError, invalidNumberError]);
		expect(outputsOf(execution, NODE)[1].map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'with Include Input Fields and %s, one sees who got what',
		async (onError) => {
			const parameters = { ...SEND, options: { includeInputFields: true } };
			const { execution, jsonOf } = await run(parameters, items(), onError);
			expect(execution.status).toBe('success');
			const byNumber = [...jsonOf('Success'), ...jsonOf('Failure')].map(({ number, id, error }) => [
				number,
				Boolean(id),
				(error as IDataObject)?.delivery,
			]);
			expect(byNumber.sort()).toEqual([
				['49151', true, undefined],
				['49152', false, 'notSent'],
				['49154', true, undefined],
				['nobody', false, 'notSent'],
			]);
		},
	);
});

test('a spreadsheet, as in the README: who failed gets the image once the sheet is corrected, nobody else twice', async () => {
	scan();
	const rows = (phoneOfGrace: string) =>
		[
			{ order: 1, name: 'Ada', phone: '+1 202 555 0143' },
			{ order: 2, name: 'Grace', phone: phoneOfGrace },
			{ order: 3, name: 'Edith', phone: '+1 202 555 0188' },
		].map((row) => ({ ...row, picture: picture() }));
	const parameters = {
		operation: 'sendImage',
		number: '={{ $json.phone }}',
		url: '={{ $json.picture }}',
		caption: '=Hi {{ $json.name }}, your order is ready',
		options: {
			sendOnceId: '=spring-{{ $json.order }}',
			delayBetweenSends: 1,
			randomExtraDelay: 1,
			includeInputFields: true,
		},
	};
	const onError = 'continueErrorOutput';
	const workflow = await saveWorkflow(n8n.rest, { parameters, onError, credentials }, []);
	const execute = async (phoneOfGrace: string) => {
		workflow.pinData = { [MANUAL_TRIGGER]: rows(phoneOfGrace).map((json) => ({ json })) };
		await n8n.rest.save(workflow);
		const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		return (node: string) => outputsOf(execution, node)[0]?.map(({ json }) => json) ?? [];
	};
	const captions = () =>
		service.account.messages.flatMap(({ caption }) =>
			caption?.endsWith('your order is ready') ? [caption] : [],
		);

	const first = await execute('call me');
	expect(first('Success')).toMatchObject([{ name: 'Ada' }, { name: 'Edith' }]);
	expect(first('Failure')).toMatchObject([
		{ order: 2, name: 'Grace', phone: 'call me', error: { delivery: 'notSent' } },
	]);
	const second = await execute('+1 202 555 0176');
	expect(second('Success')).toMatchObject([
		{ name: 'Ada', skipped: true, sendOnceId: 'spring-1' },
		{ name: 'Grace', id: expect.any(String) as string },
		{ name: 'Edith', skipped: true, sendOnceId: 'spring-3' },
	]);
	expect(captions()).toEqual(
		['Ada', 'Edith', 'Grace'].map((name) => `Hi ${name}, your order is ready`),
	);
});

test('the log of n8n contains neither the client ID nor the token', async () => {
	const log = await n8n.log();
	expect(log).toContain('n8n ready');
	expect(log).not.toContain(CREDENTIALS.clientId);
	expect(log).not.toContain(CREDENTIALS.token);
});
