import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { PhoneAccount } from '../../tools/embeddedService/account';
import { startService, type EmbeddedService } from '../../tools/embeddedService/service';
import { outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { startScriptedServer } from '../support/scriptedServer';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { connectTo, createNode, POLL_TIMES, publishWorkflow } from '../support/workflow';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const TRIGGER = 'Messaging Account Trigger';

/** Only a safeguard, for tests that wait for several polls and restarts of n8n. */
const TIMEOUT_MS = 600_000;

/** Counts how often its messages are listed. */
class CountingAccount extends PhoneAccount {
	listCount = 0;

	override lastMessages() {
		this.listCount++;
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

/** Publishes a workflow with the trigger, and a node after each of its outputs. */
async function publish(
	parameters: IDataObject,
	outputs: string[],
	triggerCredentials = credentials,
): Promise<SavedWorkflow> {
	const nodes = [
		createNode(TRIGGER, {
			type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
			parameters: {
				pollTimes: POLL_TIMES,
				...parameters,
			} as INodeParameters,
			credentials: triggerCredentials,
		}),
		...outputs.map((name) => createNode(name, { type: 'n8n-nodes-base.noOp', parameters: {} })),
	];
	return await publishWorkflow(n8n.rest, String(parameters.event), nodes, {
		[TRIGGER]: { main: outputs.map((name) => connectTo(name)) },
	});
}

/** Returns the items that a node received in all executions so far. */
async function itemsOf(name: string, workflow: SavedWorkflow): Promise<IDataObject[]> {
	const executions = await n8n.rest.executions(workflow);
	expect(executions.every(({ status }) => status === 'success')).toBe(true);
	return executions.flatMap((execution) =>
		(outputsOf(execution, name)[0] ?? []).map(({ json }) => json),
	);
}

const untilItems = (name: string, workflow: SavedWorkflow, count: number) =>
	waitUntil(
		`${count} items of ${name}`,
		async (saw) => saw(await itemsOf(name, workflow)).length >= count,
		N8N_LIMIT_MS,
	);
const untilExecuted = (workflow: SavedWorkflow) =>
	waitUntil('an execution', async () => (await n8n.rest.executions(workflow)).length, N8N_LIMIT_MS);
const untilPolls = (count: number) =>
	waitUntil(`${count} polls`, (saw) => saw(account.listCount) >= count, N8N_LIMIT_MS);

const receive = (...texts: string[]) => {
	for (const text of texts) account.receive({ number: '49151', text });
};
const textsOf = (items: IDataObject[]) => items.map(({ text }) => text);

test(
	'New Message starts a published workflow once for each message, through a restart',
	async () => {
		receive('before it was published');
		const messages = await publish({ event: 'newMessage', options: {} }, ['Messages']);
		const texts = async () => textsOf(await itemsOf('Messages', messages));
		expect(await texts()).toEqual([]);

		await n8n.restart(() => receive('before the first execution'));
		await untilItems('Messages', messages, 1);

		receive('one', 'two');
		await untilItems('Messages', messages, 3);

		await n8n.restart(() => receive('while n8n was down'));
		await untilItems('Messages', messages, 4);
		const afterRestart = account.listCount;
		receive('after the restart');
		await untilItems('Messages', messages, 5);
		// Two more polls emit nothing again.
		await untilPolls(afterRestart + 2);
		expect(await texts()).toEqual([
			'before the first execution',
			'one',
			'two',
			'while n8n was down',
			'after the restart',
		]);
	},
	TIMEOUT_MS,
);

test(
	'Combine Messages By makes one item of what somebody writes, through a restart',
	async () => {
		const options = { combineBy: 'number', waitUntilQuiet: 0 };
		const polledBefore = account.listCount;
		const workflow = await publish({ event: 'newMessage', options }, ['Messages']);
		// n8n may respond before the first poll.
		await untilPolls(polledBefore + 1);
		receive('Good evening', 'Are you open?');
		await untilExecuted(workflow);
		expect(await itemsOf('Messages', workflow)).toEqual([]);
		await n8n.restart(() => {});
		await untilItems('Messages', workflow, 1);
		expect(await itemsOf('Messages', workflow)).toMatchObject([
			{ by: '49151', count: 2, messages: [{ text: 'Good evening' }, { text: 'Are you open?' }] },
		]);
	},
	TIMEOUT_MS,
);

test(
	'Possible Gap, Connection Changed and failed polls in published workflows',
	async () => {
		const options = { gapOutput: true };
		const gaps = await publish({ event: 'newMessage', options }, ['Messages', 'Gaps']);
		const connection = await publish({ event: 'connectionChanged', options: {} }, ['Changes']);
		const host = await startScriptedServer();
		host.respondWith({ body: [] });
		const baseUrl = host.url;
		const hostCredentials = await saveCredential(n8n.rest, { baseUrl, ...CREDENTIALS });
		const failing = await publish(
			{ event: 'newMessage', options: {} },
			['Messages'],
			hostCredentials,
		);
		// Newer n8n versions respond before the first poll.
		await waitUntil('a poll', () => host.requests.length, N8N_LIMIT_MS);
		host.respondWith({ status: 401 });
		receive(...Array.from({ length: 100 }, (_, i) => `${i}`));
		account.logOut();

		await untilItems('Gaps', gaps, 1);
		expect(await itemsOf('Gaps', gaps)).toMatchObject([{ messagesListed: 100 }]);
		expect(await itemsOf('Messages', gaps)).toHaveLength(100);
		expect(await n8n.log()).toContain('Messages may have been missed');

		await untilExecuted(failing);
		await host.close();
		const [{ status, data }] = await n8n.rest.executions(failing);
		expect(status).toBe('error');
		expect(data.resultData.error?.message).toBe('The service refused the credentials (HTTP 401)');

		await untilItems('Changes', connection, 1);
		const [execution] = await n8n.rest.executions(connection);
		const [[{ json, binary }]] = outputsOf(execution, 'Changes');
		expect(json).toMatchObject({ is_connected: false, previous: true });
		expect(binary!.qr.mimeType).toBe('image/png');
		expect(readQrCode(Buffer.from(binary!.qr.data, 'base64'))).toBe(account.qrText);

		account.scan(account.qrText);
		await untilItems('Changes', connection, 2);
		expect((await itemsOf('Changes', connection))[1]).toEqual({
			is_connected: true,
			previous: false,
		});
	},
	TIMEOUT_MS,
);

test('publishing reports why the first poll fails', async () => {
	const wrongAddress = { baseUrl: `${service.url}/elsewhere`, ...CREDENTIALS };
	const invalidCredentials = await saveCredential(n8n.rest, wrongAddress);
	const reported = await publish(
		{ event: 'newMessage', options: {} },
		['Messages'],
		invalidCredentials,
	).then(() => '', String);
	const message = 'The service found nothing at this address (HTTP 404)';
	if (process.env.TEST_N8N_VERSION?.startsWith('2.41.')) {
		// This version polls after it has responded, and reports the error in its log.
		expect(reported).toBe('');
		await waitUntil(
			`'${message}' in the log`,
			async (saw) => saw(await n8n.log()).includes(message),
			N8N_LIMIT_MS,
		);
	} else {
		expect(reported).toContain(message);
	}
});
