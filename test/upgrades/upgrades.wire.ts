import { NodeHelpers, type IDataObject, type INodeTypeDescription } from 'n8n-workflow';

import { createAccountKey } from '../../nodes/MessagingAccount/events/pollClient';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { readAccount } from '../../nodes/MessagingAccount/transport/credential';
import { CREDENTIAL, runNode } from '../support/engine';
import { Poller } from '../support/poller';
import { startScriptedServer, type ScriptedServer } from '../support/scriptedServer';
import { EARLIER_VERSIONS, readSaved } from './saved';

/** To a trigger that polls, and to a node that is a tool. */
const ADDED_BY_N8N = ['pollTimes', 'descriptionType', 'toolDescription'];

let server: ScriptedServer;

beforeEach(async () => {
	server = await startScriptedServer();
});

afterEach(async () => {
	await server.close();
});

test('there is an earlier version', () => {
	expect(EARLIER_VERSIONS).not.toEqual([]);
});

describe.each(EARLIER_VERSIONS)('what %s has saved', (version) => {
	const saved = readSaved(version);
	const here = () => ({ baseUrl: server.url, clientId: saved.account.clientId, token: 'another' });

	/** The trigger as it was left; only the account's address is another one. */
	function trigger(event: string): Poller {
		const poller = new Poller({ event }, here());
		const { [event]: remembered, ...others } = saved.states[event];
		expect(remembered.account).toBe(
			createAccountKey(readAccount({ ...saved.account, token: 'x' })),
		);
		const account = createAccountKey(readAccount(here()));
		poller.state = { ...others, [event]: { ...remembered, account } } as IDataObject;
		return poller;
	}

	test.each(saved.nodes.map((node): [string, typeof node] => [node.name, node]))(
		'keeps all parameters of %s',
		(_name, node) => {
			const nodeType = node.type.endsWith('Trigger')
				? new MessagingAccountTrigger()
				: new MessagingAccount();
			const description: INodeTypeDescription = nodeType.description;
			expect(node.typeVersion).toBe(description.version);
			const parameters = Object.fromEntries(
				Object.entries(node.parameters).filter(([name]) => !ADDED_BY_N8N.includes(name)),
			);
			const { properties } = description;
			const kept = NodeHelpers.getNodeParameters(
				properties,
				parameters,
				true,
				false,
				node,
				description,
			);
			expect(kept).toMatchObject(parameters);
		},
	);

	test('the trigger repeats no message, and emits a new one', async () => {
		const poller = trigger('newMessage');
		server.answer({ body: saved.listed });
		expect(await poller.poll()).toBeNull();
		server.answer({ body: [...saved.listed, { id: 'new' }] });
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json)).toEqual([{ id: 'new' }]);
		expect(poller.warnings).toEqual([]);
	});

	test('the trigger knows that the account was connected', async () => {
		const poller = trigger('connectionChanged');
		server.answer({ body: { is_connected: true } });
		expect(await poller.poll()).toBeNull();
		server.answer({ body: { is_connected: false } });
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json)).toEqual([{ is_connected: false, previous: true }]);
	});

	test('a retried execution sends only what is left', async () => {
		server.answerEach(({ body }) => ({
			body: { id: `m${(body as IDataObject).number as string}` },
		}));
		const { outputs } = await runNode({
			parameters: {
				operation: 'sendImage',
				number: '={{ $json.number }}',
				url: 'https://example.com/a.png',
			},
			items: ['1', '2', '3'].map((number) => ({ number })),
			context: saved.sends,
			credential: { ...CREDENTIAL, ...here() },
		});
		expect(server.requests.map(({ body }) => (body as IDataObject).number)).toEqual(['2', '3']);
		expect(outputs[0].map(({ json }) => json.id)).toEqual(['m1', 'm2', 'm3']);
	});
});
