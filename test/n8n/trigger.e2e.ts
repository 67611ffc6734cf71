/* eslint-disable @n8n/community-nodes/no-restricted-imports -- tests wait for n8n's polls, of which there is one a minute */
import { setTimeout as sleep } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import { outputsOf, type SavedWorkflow } from '../../demo/n8n/rest';
import { readQrCode } from '../../demo/qrReader';
import { PhoneAccount } from '../../demo/service/account';
import { startService, type EmbeddedService } from '../../demo/service/service';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const TRIGGER = 'Messaging Account Trigger';

/** n8n's shortest interval is a minute; this is a limit for what takes four of them, not a measure. */
const LIMIT_MS = 900_000;
const LOOK_AGAIN_MS = 500;

/** Tells how often it was asked. */
class CountingAccount extends PhoneAccount {
	listed = 0;

	override lastMessages() {
		this.listed++;
		return super.lastMessages();
	}
}

const account = new CountingAccount();
let service: EmbeddedService;
let n8n: RealN8n;
let credentials: INode['credentials'];

beforeAll(async () => {
	service = await startService(CREDENTIALS, 0, account);
	account.scan(account.qrText);
	n8n = await startRealN8n();
	credentials = await saveCredential(n8n.rest, { baseUrl: service.url, ...CREDENTIALS });
});

afterAll(async () => {
	await n8n?.stop();
	await service?.close();
});

/** Saves and publishes a workflow: the trigger, and a node behind each of its outputs. */
async function publish(parameters: IDataObject, outputs: string[]): Promise<SavedWorkflow> {
	const node = (name: string, type: string, x: number) => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [x, 0] as [number, number],
		parameters: {},
	});
	const workflow = await n8n.rest.post<SavedWorkflow>('/rest/workflows', {
		name: String(parameters.event),
		settings: { executionOrder: 'v1' },
		nodes: [
			{
				...node(TRIGGER, 'n8n-nodes-messaging-account.messagingAccountTrigger', 0),
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] }, ...parameters },
				credentials,
			},
			...outputs.map((name, i) => node(name, 'n8n-nodes-base.noOp', 200 * (i + 1))),
		],
		connections: {
			[TRIGGER]: { main: outputs.map((name) => [{ node: name, type: 'main', index: 0 }]) },
		},
	});
	await n8n.rest.publish(workflow);
	return workflow;
}

/** What has arrived at a node, in all executions so far. */
async function arrivedAt(name: string, workflow: SavedWorkflow): Promise<IDataObject[]> {
	const executions = await n8n.rest.executions(workflow);
	expect(executions.every(({ status }) => status === 'success')).toBe(true);
	return executions.flatMap((execution) =>
		(outputsOf(execution, name)[0] ?? []).map(({ json }) => json),
	);
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
	while (!(await condition())) await sleep(LOOK_AGAIN_MS);
}

const receive = (...texts: string[]) => {
	for (const text of texts) account.receive({ number: '49151', text });
};
const textsOf = (items: IDataObject[]) => items.map(({ text }) => text);

test(
	'New Message starts a published workflow once for each message, through a restart',
	async () => {
		receive('before it was published');
		const messages = await publish({ event: 'newMessage', options: {} }, ['Messages']);
		const texts = async () => textsOf(await arrivedAt('Messages', messages));
		expect(await texts()).toEqual([]);

		receive('one', 'two');
		await until(async () => (await texts()).length >= 2);
		expect(await texts()).toEqual(['one', 'two']);

		receive('three');
		await until(async () => (await texts()).length >= 3);

		await n8n.restart(() => receive('while n8n was down'));
		const afterRestart = account.listed;
		await until(async () => (await texts()).length >= 4);
		receive('after the restart');
		await until(async () => (await texts()).length >= 5);
		// And what has come out does not come again.
		await until(() => account.listed >= afterRestart + 2);
		expect(await texts()).toEqual([
			'one',
			'two',
			'three',
			'while n8n was down',
			'after the restart',
		]);
	},
	LIMIT_MS,
);

test(
	'the other outputs and events of published workflows',
	async () => {
		const options = { gapOutput: true };
		const gaps = await publish({ event: 'newMessage', options }, ['Messages', 'Gaps']);
		const connection = await publish({ event: 'connectionChanged', options: {} }, ['Changes']);
		receive(...Array.from({ length: 100 }, (_, i) => `${i}`));
		account.logOut();

		await until(async () => (await arrivedAt('Gaps', gaps)).length > 0);
		expect(await arrivedAt('Gaps', gaps)).toMatchObject([{ messagesListed: 100 }]);
		expect(await arrivedAt('Messages', gaps)).toHaveLength(100);
		expect(await n8n.log()).toContain('Messages may have been missed');

		await until(async () => (await arrivedAt('Changes', connection)).length > 0);
		const [execution] = await n8n.rest.executions(connection);
		const [[{ json, binary }]] = outputsOf(execution, 'Changes');
		expect(json).toMatchObject({ is_connected: false, previous: true });
		expect(binary!.qr.mimeType).toBe('image/png');
		expect(readQrCode(Buffer.from(binary!.qr.data, 'base64'))).toBe(account.qrText);

		account.scan(account.qrText);
		await until(async () => (await arrivedAt('Changes', connection)).length > 1);
		expect((await arrivedAt('Changes', connection))[1]).toEqual({
			is_connected: true,
			previous: false,
		});
	},
	LIMIT_MS,
);
