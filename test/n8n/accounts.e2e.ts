import type { IDataObject, INode } from 'n8n-workflow';

import { numberOf } from '../support/sendService';
import { createSendParameters, jsonOf, publishWebhook } from '../support/webhookWorkflow';
import { saveCredential, useRealN8nWithServer } from './realN8n';

const ACCOUNTS = ['a', 'b', 'c'];
/** Rows of three accounts in turn. Every account sends to the same people. */
const ROWS = Array.from({ length: 60 }, (_, i) => {
	const account = ACCOUNTS[i % ACCOUNTS.length];
	return { account, number: String(49151000000 + Math.floor(i / ACCOUNTS.length)) };
});
/** n8n is killed during this send: the service carries it out, and never responds. */
const STALLED = 40;

let credentials: INode['credentials'];

const { server, n8n } = useRealN8nWithServer();

const data = () => ({
	baseUrl: server.url,
	clientId: '=client-{{ $json.account }}',
	token: '={{ "token-" + $json.account }}',
});

beforeAll(async () => {
	credentials = await saveCredential(n8n.rest, data());
});

test('n8n tests such a credential without an item', async () => {
	server.onRequest(() => ({ status: 401 }));
	const saved = { ...credentials!.messagingAccountApi, type: 'messagingAccountApi' };
	const result = await n8n.rest.post<IDataObject>('/rest/credentials/test', {
		credentials: { ...saved, data: data() },
	});
	expect(result).toMatchObject({ status: 'Error' });
});

test('each item is sent from the account of its row, also in a retry after n8n was killed, and nobody gets an image twice', async () => {
	/** "account number" of each message that was sent. */
	const messages: string[] = [];
	const stalled = new Promise<void>((resolve) =>
		server.onRequest((request) => {
			const account = String(request.headers['client-id']).replace('client-', '');
			expect(request.headers.token).toBe(`token-${account}`);
			messages.push(`${account} ${numberOf(request)}`);
			if (messages.length !== STALLED) return { body: { id: messages.at(-1)! } };
			resolve();
			return () => {};
		}),
	);
	const options = { sendOnceId: '={{ $json.number }}' };
	const parameters = createSendParameters('https://example.com/a.png', options);
	const node = { parameters, credentials, onError: 'continueRegularOutput' } as const;
	const workflow = await publishWebhook(n8n, node);
	await workflow.post(ROWS);
	await stalled;
	await n8n.crash();
	const [crashed] = await workflow.waitForExecutions(1);
	const retried = await n8n.rest.retry(crashed, 'original');

	const items = jsonOf(retried);
	expect(items).toHaveLength(ROWS.length);
	const isUnknown = ({ delivery, error }: IDataObject) =>
		delivery === 'unknown' || (error as IDataObject | undefined)?.delivery === 'unknown';
	const sent = ROWS.filter((_row, i) => !isUnknown(items[i]));
	// At least those that the retry has sent, and those before the last second.
	expect(sent.length).toBeGreaterThan(ROWS.length / 4);
	for (const { account, number } of sent) expect(messages).toContain(`${account} ${number}`);
	expect(new Set(messages).size).toBe(messages.length);

	await workflow.post(ROWS);
	await workflow.waitForExecutions(3);
	expect(new Set(messages).size).toBe(messages.length);
});
