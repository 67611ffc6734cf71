import { outputsOf, type SavedWorkflow } from '../../tools/n8n/rest';
import { readQrCode } from '../../tools/qrReader';
import { N8N_LIMIT_MS, waitUntil } from '../support/waitUntil';
import { waitForState } from '../support/workflow';
import { useRealN8nWithService } from './realN8n';
import { emitted, publishTrigger, TRIGGER, untilEmitted, untilPolls } from './triggers';

let lists: jest.SpyInstance;

const { service, n8n, credentials } = useRealN8nWithService();

beforeAll(() => {
	service.account.scan(service.account.qrText);
	lists = jest.spyOn(service.account, 'lastMessages');
});

const countPolls = () => lists.mock.calls.length;

const receive = (...texts: string[]) => {
	for (const text of texts) service.account.receive({ number: '49151', text });
};

async function expectOnlySuccess(workflow: SavedWorkflow): Promise<void> {
	const executions = await n8n.rest.executions(workflow);
	expect(executions.filter(({ status }) => status !== 'success')).toEqual([]);
}

test('New Message starts a published workflow once for each message, through a restart', async () => {
	receive('before it was published');
	const workflow = await publishTrigger(n8n, credentials);
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	expect(await emitted(n8n, workflow)).toEqual([]);

	await n8n.restart(() => receive('before the first execution'));
	await untilEmitted(n8n, workflow, 1);

	receive('one', 'two');
	await untilEmitted(n8n, workflow, 3);

	await n8n.restart(() => receive('while n8n was down'));
	await untilEmitted(n8n, workflow, 4);
	receive('after the restart');
	await untilEmitted(n8n, workflow, 5);
	// Two more polls emit nothing again.
	await untilPolls(countPolls, 2);
	expect((await emitted(n8n, workflow)).map(({ text }) => text)).toEqual([
		'before the first execution',
		'one',
		'two',
		'while n8n was down',
		'after the restart',
	]);
	await expectOnlySuccess(workflow);
	await n8n.rest.unpublish(workflow);
});

test('Combine Messages By makes one item of what somebody writes, through a restart', async () => {
	const options = { combineBy: 'number', waitUntilQuiet: 0 };
	const workflow = await publishTrigger(n8n, credentials, { event: 'newMessage', options });
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	receive('Good evening', 'Are you open?');
	const hasStarted = async () => (await n8n.rest.executions(workflow)).length;
	await waitUntil('an execution', hasStarted, N8N_LIMIT_MS);
	expect(await emitted(n8n, workflow)).toEqual([]);
	await n8n.restart(() => {});
	await untilEmitted(n8n, workflow, 1);
	expect(await emitted(n8n, workflow)).toMatchObject([
		{ by: '49151', count: 2, messages: [{ text: 'Good evening' }, { text: 'Are you open?' }] },
	]);
	await expectOnlySuccess(workflow);
	await n8n.rest.unpublish(workflow);
});

test('Connection Changed starts a workflow with the QR code, and when the account is back', async () => {
	const workflow = await publishTrigger(n8n, credentials, { event: 'connectionChanged' });
	await waitForState(n8n.rest, workflow.id, TRIGGER);
	const { account } = service;
	account.logOut();
	await untilEmitted(n8n, workflow, 1);
	const [execution] = await n8n.rest.executions(workflow);
	const [[{ json, binary }]] = outputsOf(execution, TRIGGER);
	expect(json).toMatchObject({ is_connected: false, previous: true });
	expect(binary!.qr.mimeType).toBe('image/png');
	expect(readQrCode(Buffer.from(binary!.qr.data, 'base64'))).toBe(account.qrText);

	account.scan(account.qrText);
	await untilEmitted(n8n, workflow, 2);
	expect((await emitted(n8n, workflow))[1]).toEqual({ is_connected: true, previous: false });
	await expectOnlySuccess(workflow);
});
