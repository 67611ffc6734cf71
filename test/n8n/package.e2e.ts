import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { McpClient } from '../support/mcpClient';
import { useScriptedServer } from '../support/scriptedServer';
import { jsonOf, NODE } from '../support/webhookWorkflow';
import { ACCOUNT, saveCredential, saveSends, saveWorkflow, useRealN8nWithService } from './realN8n';
import { testOnN8n2 } from './skipByVersion';

const { service, n8n, credentials } = useRealN8nWithService();

const server = useScriptedServer();

const picture = () => `${service.url}/pictures/sample.png`;

async function run(parameters: INode['parameters'], items: IDataObject[] = [{}]) {
	const workflow = await saveWorkflow(n8n.rest, { parameters, credentials }, items);
	return await n8n.rest.run(workflow, MANUAL_TRIGGER);
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

	testOnN8n2("is what an agent finds in n8n's MCP server, with what to know of it", async () => {
		const { rest } = n8n;
		await rest.patch('/rest/mcp/settings', { mcpAccessEnabled: true });
		const { apiKey } = await rest.get<{ apiKey: string }>('/rest/mcp/api-key');
		const headers = { authorization: `Bearer ${apiKey}` };
		const client = new McpClient(`${rest.url}/mcp-server/http`, headers);
		await client.connect();
		const { content } = await client.call('search_nodes', { queries: ['send picture'] });
		const answer = content.map(({ text }) => text).join('');
		expect(answer).toContain('\n- n8n-nodes-messaging-account.messagingAccount\n');
		expect(answer).toContain('@builderHint Sends an image');
		expect(answer).toContain('@builderHint Polls a messaging account');
	});
});

test('Get Status shows the QR code, Send Image sends, Get Messages lists', async () => {
	const [[before]] = outputsOf(await run({ operation: 'getStatus' }), NODE);
	expect(before.json).toMatchObject({ is_connected: false });
	const { id, data, mimeType } = before.binary!.qr;
	expect(mimeType).toBe('image/png');
	// n8n 1 stores the picture in the item.
	const stored = id
		? await n8n.rest.file(`/rest/binary-data?id=${id}&action=view`)
		: Buffer.from(data, 'base64');
	expect(service.account.scan(readQrCode(stored))).toBe(true);

	expect(jsonOf(await run({ operation: 'getStatus' }))).toEqual([{ is_connected: true }]);

	const send = {
		operation: 'sendImage',
		number: '={{ $json.number }}',
		url: picture(),
		caption: '={{ $json.text }}',
	};
	const recipients = [
		{ number: '+1 202 555 0143', text: 'One' },
		{ number: 49152, text: '' },
	];
	const [sent] = outputsOf(await run(send, recipients), NODE);
	expect(sent.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }]);

	const messages = jsonOf(await run({ operation: 'getMessages', returnAll: false, limit: 2 }));
	expect(messages).toMatchObject([
		{ id: sent[0].json.id, number: '12025550143', caption: 'One' },
		{ id: sent[1].json.id, number: '49152' },
	]);
	expect(messages[1]).not.toHaveProperty('caption');
});

test('the client ID and the token are only stored encrypted in the folder of n8n, after all these tests', async () => {
	const number = '49151000000';
	server.onRequest(({ headers }) => ({
		status: 422,
		body: { message: `Refused: ${headers['client-id'] as string}, ${headers.token as string}` },
	}));
	const others = await saveCredential(n8n.rest, { baseUrl: server.url, ...ACCOUNT });
	const workflow = await saveSends(n8n.rest, [{ number }], { credentials: others });
	const { data } = await n8n.rest.run(workflow, MANUAL_TRIGGER);
	expect(data.resultData.error?.message).toContain('Refused: ***, ***');
	expect(server.requests[0].headers).toMatchObject({ token: ACCOUNT.token });

	const entries = await readdir(n8n.userFolder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const findFilesWith = async (text: string) => {
		const found: string[] = [];
		for (const { parentPath, name } of files) {
			// SQLite deletes its journal at the end of each transaction.
			const content = await readFile(join(parentPath, name)).catch((error: { code: string }) => {
				if (error.code === 'ENOENT' && name.endsWith('-journal')) return Buffer.alloc(0);
				throw error;
			});
			if (content.includes(text)) found.push(name);
		}
		return found;
	};
	// Shows that the search covers what n8n stores and logs.
	expect(await findFilesWith(number)).toContainEqual(expect.stringContaining('sqlite'));
	expect(await findFilesWith('n8n ready')).toContainEqual(expect.stringMatching(/\.log$/));

	for (const secret of Object.values(ACCOUNT)) {
		const forms = [secret, Buffer.from(secret).toString('base64'), secret.toUpperCase()];
		for (const form of forms) expect(await findFilesWith(form)).toEqual([]);
	}
});
