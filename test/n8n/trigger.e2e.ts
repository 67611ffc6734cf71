/* eslint-disable @n8n/community-nodes/no-restricted-globals -- tests are told by the environment which n8n they run on */
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';

import { outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { PhoneAccount } from '../../tools/service/account';
import { startService, type EmbeddedService } from '../../tools/service/service';
import { startScriptedServer } from '../support/scriptedServer';
import { until } from '../support/until';
import { node, POLL_TIMES, publish as publishWorkflow } from '../support/workflow';
import { saveCredential, startRealN8n, type RealN8n } from './realN8n';

const CREDENTIALS = { clientId: 'client-7f3a', token: 'token-91c2-5d' };
const TRIGGER = 'Messaging Account Trigger';

/** A limit, not a measure, for what waits for several polls and starts of n8n. */
const LIMIT_MS = 600_000;

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
async function publish(
	parameters: IDataObject,
	outputs: string[],
	ofAccount = credentials,
): Promise<SavedWorkflow> {
	const nodes = [
		node(TRIGGER, {
			type: 'n8n-nodes-messaging-account.messagingAccountTrigger',
			parameters: {
				pollTimes: POLL_TIMES,
				...parameters,
			} as INodeParameters,
			credentials: ofAccount,
		}),
		...outputs.map((name) => node(name, { type: 'n8n-nodes-base.noOp', parameters: {} })),
	];
	return await publishWorkflow(n8n.rest, String(parameters.event), nodes, {
		[TRIGGER]: { main: outputs.map((name) => [{ node: name, type: 'main', index: 0 }]) },
	});
}

/** What has arrived at a node, in all executions so far. */
async function arrivedAt(name: string, workflow: SavedWorkflow): Promise<IDataObject[]> {
	const executions = await n8n.rest.executions(workflow);
	expect(executions.every(({ status }) => status === 'success')).toBe(true);
	return executions.flatMap((execution) =>
		(outputsOf(execution, name)[0] ?? []).map(({ json }) => json),
	);
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

		await n8n.restart(() => receive('before the first execution'));
		await until(async () => (await texts()).length >= 1);

		receive('one', 'two');
		await until(async () => (await texts()).length >= 3);

		await n8n.restart(() => receive('while n8n was down'));
		await until(async () => (await texts()).length >= 4);
		const afterRestart = account.listed;
		receive('after the restart');
		await until(async () => (await texts()).length >= 5);
		// And what has come out does not come again.
		await until(() => account.listed >= afterRestart + 2);
		expect(await texts()).toEqual([
			'before the first execution',
			'one',
			'two',
			'while n8n was down',
			'after the restart',
		]);
	},
	LIMIT_MS,
);

test(
	'Possible Gap, Connection Changed and polls that fail, in published workflows',
	async () => {
		const options = { gapOutput: true };
		const gaps = await publish({ event: 'newMessage', options }, ['Messages', 'Gaps']);
		const connection = await publish({ event: 'connectionChanged', options: {} }, ['Changes']);
		const host = await startScriptedServer();
		host.answer({ body: [] });
		const baseUrl = host.url;
		const ofHost = await saveCredential(n8n.rest, { baseUrl, ...CREDENTIALS });
		const failing = await publish({ event: 'newMessage', options: {} }, ['Messages'], ofHost);
		// Newer n8n versions poll for the first time only after they have answered.
		await until(() => host.requests.length > 0);
		host.answer({ status: 401 });
		receive(...Array.from({ length: 100 }, (_, i) => `${i}`));
		account.logOut();

		await until(async () => (await arrivedAt('Gaps', gaps)).length > 0);
		expect(await arrivedAt('Gaps', gaps)).toMatchObject([{ messagesListed: 100 }]);
		expect(await arrivedAt('Messages', gaps)).toHaveLength(100);
		expect(await n8n.log()).toContain('Messages may have been missed');

		await until(async () => (await n8n.rest.executions(failing)).length > 0);
		await host.close();
		const [{ status, data }] = await n8n.rest.executions(failing);
		expect(status).toBe('error');
		expect(data.resultData.error?.message).toBe('The service refused the credentials (HTTP 401)');

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

test('publishing tells what keeps the first poll from its end', async () => {
	const elsewhere = { baseUrl: `${service.url}/elsewhere`, ...CREDENTIALS };
	const ofNobody = await saveCredential(n8n.rest, elsewhere);
	const told = await publish({ event: 'newMessage', options: {} }, ['Messages'], ofNobody).then(
		() => '',
		String,
	);
	const words = 'The service was not found at this address (HTTP 404)';
	if (process.env.TEST_N8N_VERSION?.startsWith('2.41.')) {
		// It publishes only after it has answered, and tells it in its log.
		expect(told).toBe('');
		await until(async () => (await n8n.log()).includes(words));
	} else {
		expect(told).toContain(words);
	}
});
