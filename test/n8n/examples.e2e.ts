/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals -- tests import files into n8n */
import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';

import { SMTPServer } from 'smtp-server';

import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { BASICS, importExamples, MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { outputsOf, type Execution } from '../../tools/n8n/rest';
import { startRealN8n, type RealN8n } from './realN8n';

const EXAMPLES = resolve(__dirname, '../../examples');
const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };

let service: EmbeddedService;
let n8n: RealN8n;

beforeAll(async () => {
	service = await startService(CREDENTIALS);
	const credential = { baseUrl: service.url, ...CREDENTIALS };
	n8n = await startRealN8n(async (home) => await importExamples(home, credential));
});

beforeEach(() => {
	service.account.scan(service.account.qrText);
});

afterAll(async () => {
	await n8n?.stop();
	await service?.close();
});

const jsonOf = (execution: Execution, node: string) =>
	(outputsOf(execution, node)[0] ?? []).map(({ json }) => json);

test('all examples can be imported', async () => {
	const imported = await n8n.rest.get<Array<{ name: string }>>('/rest/workflows');
	expect(imported).toHaveLength(readdirSync(EXAMPLES).length);
});

describe('Basics', () => {
	test('shows the QR code while the account is not connected, and sends nothing', async () => {
		service.account.logOut();
		const workflow = await n8n.rest.workflow(BASICS);
		const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(execution.status).toBe('success');
		expect(jsonOf(execution, 'Scan the QR Code')).toMatchObject([{ is_connected: false }]);
		expect(service.account.lastMessages()).toEqual([]);
	});

	test('sends to each recipient and lists the messages once', async () => {
		const workflow = await n8n.rest.workflow(BASICS);
		const execution = await n8n.rest.run(workflow, MANUAL_TRIGGER);
		expect(execution.status).toBe('success');
		const sent = jsonOf(execution, 'Send Image');
		expect(sent).toHaveLength(2);
		expect(jsonOf(execution, 'Get Messages')).toMatchObject([
			{ id: sent[0].id, number: '12025550143', caption: 'Good morning, Ada' },
			{ id: sent[1].id, number: '12025550176', caption: 'Good morning, Grace' },
		]);
	});
});

test('Send From Webhook sends one image per row, and separates failed rows', async () => {
	const url = `${service.url}/pictures/sample.png`;
	const rows = [
		{ number: '49151', url, caption: 'A' },
		{ number: 'nobody', url },
		{ number: '49153', url },
	];
	const workflow = await n8n.rest.workflow('messagingWebhook');
	workflow.pinData = { Webhook: [{ json: { body: { rows } } }] };
	await n8n.rest.save(workflow);
	const execution = await n8n.rest.run(workflow, 'Webhook');
	expect(execution.status).toBe('success');
	expect(jsonOf(execution, 'Sent')).toMatchObject([{ number: '49151' }, { number: '49153' }]);
	expect(jsonOf(execution, 'Failed')).toEqual([
		{ number: 'nobody', delivery: 'notSent', reason: "'Number' is not a phone number [item 1]" },
	]);
});

test('Scheduled Pull passes on each message once', async () => {
	const workflow = await n8n.rest.workflow('messagingPull001');
	const pull = async () => {
		const execution = await n8n.rest.run(workflow, 'Schedule Trigger');
		expect(execution.status).toBe('success');
		return jsonOf(execution, 'New Messages').map(({ caption }) => caption);
	};
	const image = { number: '5', url: 'http://x/' };
	await pull();
	service.account.send({ ...image, caption: 'first' });
	expect(await pull()).toEqual(['first']);
	service.account.send({ ...image, caption: 'second' });
	expect(await pull()).toEqual(['second']);
	expect(await pull()).toEqual([]);
});

describe('Auto-Reply', () => {
	const TRIGGER = 'Messaging Account Trigger';
	const sentTo = (number: string) =>
		(service.account.chats.get(number) ?? []).filter(({ direction }) => direction === 'outgoing');

	test('replies to each incoming message once, with an image', async () => {
		const workflow = await n8n.rest.workflow('messagingReply01');
		const send = workflow.nodes.find(({ name }) => name === 'Send Image')!;
		send.parameters.url = `${service.url}/pictures/sample.png`;
		await n8n.rest.save(workflow);
		service.account.receive({ number: '49151772', text: 'Hello' });
		service.account.send({ number: '49151771', url: 'http://x/' });
		const execution = await n8n.rest.run(workflow, TRIGGER);
		expect(execution.status).toBe('success');
		expect(sentTo('49151771')).toHaveLength(1);
		expect(sentTo('49151772')).toMatchObject([{ url: send.parameters.url }]);

		expect((await n8n.rest.run(workflow, TRIGGER)).status).toBe('success');
		expect(sentTo('49151772')).toHaveLength(1);
	});
});

describe('Logged Out Alert', () => {
	const mails: string[] = [];
	const mailServer = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onData(stream, _session, done) {
			const chunks: Buffer[] = [];
			stream.on('data', (chunk: Buffer) => chunks.push(chunk));
			stream.on('end', () => {
				mails.push(Buffer.concat(chunks).toString());
				done();
			});
		},
	});

	beforeAll(async () => {
		await new Promise<void>((resolve) => {
			mailServer.listen(0, '127.0.0.1', resolve);
		});
	});

	afterAll(async () => {
		await new Promise<void>((resolve) => {
			mailServer.close(resolve);
		});
	});

	test('mails the QR code as a picture, and nothing while the account is connected', async () => {
		const { port } = mailServer.server.address() as AddressInfo;
		const smtp = await n8n.rest.post<{ id: string; name: string }>('/rest/credentials', {
			name: 'Mail',
			type: 'smtp',
			data: { host: '127.0.0.1', port, secure: false, disableStartTls: true },
		});
		const workflow = await n8n.rest.workflow('messagingAlert01');
		const mail = workflow.nodes.find(({ name }) => name === 'Send QR Code')!;
		mail.credentials = { smtp: { id: smtp.id, name: smtp.name } };
		await n8n.rest.save(workflow);

		const connected = await n8n.rest.run(workflow, 'Messaging Account Trigger');
		expect(jsonOf(connected, 'Connected Again')).toHaveLength(1);
		expect(mails).toEqual([]);

		service.account.logOut();
		const execution = await n8n.rest.run(workflow, 'Messaging Account Trigger');
		expect(execution.status).toBe('success');
		expect(mails).toHaveLength(1);
		const png = (await service.account.qrPicture()).split(',')[1];
		expect(mails[0].replace(/\r\n/g, '')).toContain(png);
		expect(mails[0]).toMatch(/content-id: <qr>/i);
	});
});
