import { readdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { PNG } from 'pngjs';
import { SMTPServer } from 'smtp-server';

import { samplePicture } from '../../tools/embeddedService/samplePicture';
import { BASICS, MANUAL_TRIGGER } from '../../tools/n8n/exampleWorkflows';
import { PROJECT } from '../../tools/n8n/install';
import type { Execution, SavedWorkflow } from '../../tools/n8n/rest';
import { findOnPath, installFromDebian, mayInstallPrograms } from '../support/programs';
import { N8N_LIMIT_MS, waitUntil, type Saw } from '../support/waitUntil';
import { jsonOf } from '../support/webhookWorkflow';
import { nodeOf, submit } from './forms';
import { saveCredential, useRealN8nWithService } from './realN8n';
import { testOnN8n2 } from './skipByVersion';

/** n8n's node Edit Image needs GraphicsMagick, which n8n's own Docker image has. */
const canEditImages = findOnPath('gm') !== undefined || mayInstallPrograms();

const TRIGGER = 'Messaging Account Trigger';

beforeAll(async () => {
	if (canEditImages && !findOnPath('gm')) await installFromDebian(['graphicsmagick']);
});

const { service, n8n } = useRealN8nWithService({
	examples: true,
	// n8n 1 keeps files in memory unless it is told otherwise.
	env: { N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' },
});

beforeEach(() => void service.account.scan(service.account.qrText));

/** The image in the last message of a chat, as the service fetched it. */
const pictureOf = (number: string) =>
	service.account.pictureIn(service.account.chats.get(number)!.at(-1)!);

const picture = () => `${service.url}/pictures/sample.png`;

/** For an example whose images are on the web. */
function usePicture(workflow: SavedWorkflow): void {
	nodeOf(workflow, 'Send Image').parameters.url = picture();
}

/** Executes an example from one of its triggers. It must succeed. */
async function play(
	id: string,
	trigger = MANUAL_TRIGGER,
	change?: (workflow: SavedWorkflow) => void,
): Promise<Execution> {
	const workflow = await n8n.rest.workflow(id);
	if (change) {
		change(workflow);
		await n8n.rest.save(workflow);
	}
	const execution = await n8n.rest.run(workflow, trigger);
	expect(execution.status).toBe('success');
	return execution;
}

test('all examples can be imported', async () => {
	const imported = await n8n.rest.get<Array<{ name: string }>>('/rest/workflows');
	expect(imported).toHaveLength(readdirSync(join(PROJECT, 'examples')).length);
});

describe('Basics', () => {
	test('shows the QR code while the account is not connected, and sends nothing', async () => {
		service.account.logOut();
		const execution = await play(BASICS);
		expect(jsonOf(execution, 'Scan the QR Code')).toMatchObject([{ is_connected: false }]);
		expect(service.account.lastMessages()).toEqual([]);
	});

	test('sends to each recipient and lists the messages once', async () => {
		const execution = await play(BASICS);
		const sent = jsonOf(execution, 'Send Image');
		expect(sent).toHaveLength(2);
		expect(jsonOf(execution, 'Get Messages')).toMatchObject([
			{ id: sent[0].id, number: '12025550143', caption: 'Good morning, Ada' },
			{ id: sent[1].id, number: '12025550176', caption: 'Good morning, Grace' },
		]);
	});
});

test('Send From Webhook sends one image per row, and separates failed rows', async () => {
	const url = picture();
	const rows = [
		{ number: '49151', url, caption: 'A' },
		{ number: 'nobody', url },
		{ number: '49153', url },
	];
	const execution = await play('messagingWebhook', 'Webhook', (workflow) => {
		workflow.pinData = { Webhook: [{ json: { body: { rows } } }] };
	});
	expect(jsonOf(execution, 'Sent')).toMatchObject([{ number: '49151' }, { number: '49153' }]);
	expect(jsonOf(execution, 'Failed')).toEqual([
		{ number: 'nobody', delivery: 'notSent', reason: "'nobody' is not a phone number [item 1]" },
	]);
});

// In n8n 1, a workflow cannot create a data table.
testOnN8n2('Scheduled Pull adds each message to a table once', async () => {
	const pull = async () => {
		const execution = await play('messagingPull001', 'Schedule Trigger');
		return jsonOf(execution, 'New Messages').map(({ text: added }) => added);
	};
	const image = { number: '5', url: 'http://x/' };
	await pull();
	service.account.send({ ...image, caption: 'first' });
	expect(await pull()).toEqual(['first']);
	service.account.send({ ...image, caption: 'second' });
	expect(await pull()).toEqual(['second']);
	expect(await pull()).toEqual([]);
});

test('Send From Form: somebody sends the form, and its file goes to the number', async () => {
	const workflow = await n8n.rest.workflow('messagingForm001');
	await n8n.rest.publish(workflow);
	const { webhookId } = nodeOf(workflow, 'On form submission');
	const form = new FormData();
	form.set('field-0', '+49 151 781');
	form.set('field-1', 'From a form');
	form.set('field-2', new File([samplePicture()], 'sunrise.png', { type: 'image/png' }));
	await submit(`${n8n.rest.url}/form/${webhookId}`, form);
	const hasStarted = async () => (await n8n.rest.listExecutions(workflow)).length;
	await waitUntil('an execution', hasStarted, N8N_LIMIT_MS);
	expect((await n8n.rest.lastExecution(workflow)).status).toBe('success');
	expect(service.account.chats.get('49151781')).toMatchObject([{ caption: 'From a form' }]);
	expect(pictureOf('49151781')).toEqual(samplePicture());
});

(canEditImages ? test : test.skip)('Draw and Send sends everybody another picture', async () => {
	const execution = await play('messagingDraw001');
	expect(jsonOf(execution, 'Send Image')).toHaveLength(2);
	const pictures = ['12025550143', '12025550176'].map((number) => pictureOf(number)!);
	const colors = pictures.map((png) => PNG.sync.read(png).data.subarray(0, 3).toString('hex'));
	expect(colors).toEqual(['ffb778', '266e82']);
});

test('Ask and Wait goes on with the reply of each person, not when a link preview reads the form', async () => {
	const workflow = await n8n.rest.workflow('messagingAsk0001');
	await play(workflow.id);
	const executions = async () => await n8n.rest.listExecutions(workflow);
	const areWaiting = async (saw: Saw) => {
		const ended = saw((await executions()).map(({ status }) => status));
		return ended.join() === 'success,waiting,waiting';
	};
	await waitUntil('two executions to wait', areWaiting, N8N_LIMIT_MS);
	const people = [
		{ name: 'Ada', number: '12025550143', reply: 'Yes' },
		{ name: 'Grace', number: '12025550176', reply: 'No' },
	];
	const links = people.map(({ number }) => {
		const { caption } = service.account.chats.get(number)!.at(-1)!;
		return caption!.split('? ')[1];
	});
	// n8n 1 does not sign it.
	for (const link of links) expect(link).toMatch(/\/form-waiting\/\d+(\?signature=\w+)?$/);
	expect(new Set(links).size).toBe(2);

	for (const agent of ['WhatsApp/2.24', 'TelegramBot (like TwitterBot)', 'Mozilla/5.0']) {
		const preview = await fetch(links[0], { headers: { 'user-agent': agent } });
		expect(preview.status).toBe(200);
		await preview.text();
	}
	expect((await executions()).map(({ status }) => status)).toContain('waiting');

	const form = new FormData();
	for (const [i, { reply }] of people.entries()) {
		form.set('field-0', reply);
		await submit(links[i], form);
	}
	const [, ...replied] = await n8n.rest.executions(workflow);
	expect(replied.flatMap((execution) => jsonOf(execution, 'Reply'))).toEqual(
		people.map(({ name, reply }) => ({ name, reply })),
	);
});

const sentTo = (number: string) =>
	(service.account.chats.get(number) ?? []).filter(({ direction }) => direction === 'outgoing');

test('Auto-Reply replies to each incoming message once, with an image', async () => {
	service.account.receive({ number: '49151772', text: 'Hello' });
	service.account.send({ number: '49151771', url: 'http://x/' });
	await play('messagingReply01', TRIGGER, usePicture);
	expect(sentTo('49151771')).toHaveLength(1);
	expect(sentTo('49151772')).toMatchObject([{ url: picture() }]);

	await play('messagingReply01', TRIGGER);
	expect(sentTo('49151772')).toHaveLength(1);
});

describe('Disconnected', () => {
	const mails: string[] = [];
	const mailServer = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onData(stream, _session, done) {
			void text(stream).then((mail) => {
				mails.push(mail);
				done();
			}, done);
		},
	});

	beforeAll(async () => {
		await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve));
	});

	afterAll(async () => await new Promise<void>((resolve) => mailServer.close(resolve)));

	test('mails the QR code as a picture, and nothing while the account is connected', async () => {
		const { port } = mailServer.server.address() as AddressInfo;
		const access = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
		const credentials = await saveCredential(n8n.rest, access, 'smtp');
		const connected = await play('messagingAlert01', TRIGGER, (workflow) => {
			nodeOf(workflow, 'Send QR Code').credentials = credentials;
		});
		expect(jsonOf(connected, 'Connected Again')).toHaveLength(1);
		expect(mails).toEqual([]);

		service.account.logOut();
		await play('messagingAlert01', TRIGGER);
		expect(mails).toHaveLength(1);
		const png = (await service.account.qrPicture()).split(',')[1];
		expect(mails[0].replace(/\r\n/g, '')).toContain(png);
		expect(mails[0]).toMatch(/content-id: <qr>/i);
	});
});
