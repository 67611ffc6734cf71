import { NodeHelpers, type IDataObject, type INodeType } from 'n8n-workflow';

import { createAccountKey } from '../../nodes/MessagingAccount/shared/account';
import { MessagingAccount } from '../../nodes/MessagingAccount/MessagingAccount.node';
import { MessagingAccountTrigger } from '../../nodes/MessagingAccount/MessagingAccountTrigger.node';
import { readAccount } from '../../nodes/MessagingAccount/transport/credential';
import { CREDENTIAL, runNode, type NodeRun } from '../support/engine';
import { Poller } from '../support/poller';
import { useScriptedServer } from '../support/scriptedServer';
import { numberOf, requestedNumbers } from '../support/sendService';
import { createEarlierNode } from './earlierNodes';
import { EARLIER_VERSIONS, readSavedData } from './saved';

const server = useScriptedServer();

test('at least one earlier version is archived', () => {
	expect(EARLIER_VERSIONS).not.toEqual([]);
});

describe.each(EARLIER_VERSIONS)('data saved by %s', (version) => {
	const saved = readSavedData(version);
	const currentAccount = () => ({
		baseUrl: server.url,
		clientId: saved.account.clientId,
		token: 'another',
	});

	/** Restores the trigger with its saved state; only the address of the account differs. */
	function restoreTrigger(event: string): Poller {
		const poller = new Poller({ event }, currentAccount());
		const { [event]: state, ...others } = saved.states[event];
		poller.node.id = state.nodeId;
		expect(state.account).toBe(createAccountKey(readAccount({ ...saved.account, token: 'x' })));
		const account = createAccountKey(readAccount(currentAccount()));
		poller.state = { ...others, [event]: { ...state, account } } as IDataObject;
		return poller;
	}

	test.each(saved.nodes.map((node): [string, typeof node] => [node.name, node]))(
		'keeps all parameters of %s',
		(_name, node) => {
			const isTrigger = node.type.endsWith('Trigger');
			const nodeType = isTrigger ? new MessagingAccountTrigger() : new MessagingAccount();
			const earlier = createEarlierNode(
				version,
				isTrigger ? 'MessagingAccountTrigger' : 'MessagingAccount',
			);
			expect(node.typeVersion).toBe(nodeType.description.version);
			const keptBy = ({ description }: INodeType) =>
				NodeHelpers.getNodeParameters(
					description.properties,
					node.parameters,
					true,
					false,
					node,
					description,
				);
			const kept = keptBy(earlier);
			expect(kept).not.toEqual({});
			// Parameters that came later have their defaults.
			expect(keptBy(nodeType)).toMatchObject(kept!);
		},
	);

	test('makes the trigger emit only new messages', async () => {
		const poller = restoreTrigger('newMessage');
		server.respondWith({ body: [...saved.listed, { id: 'new' }] });
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json)).toEqual([{ id: 'new' }]);
		expect(poller.warnings).toEqual([]);
	});

	test('tells the trigger that the account was connected', async () => {
		const poller = restoreTrigger('connectionChanged');
		server.respondWith({ body: { is_connected: false } });
		const [items] = (await poller.poll())!;
		expect(items.map(({ json }) => json)).toEqual([{ is_connected: false, previous: true }]);
	});

	const retry = async (run: Partial<NodeRun>) => {
		server.onRequest((request) => ({ body: { id: `m${numberOf(request)}` } }));
		const { outputs } = await runNode({
			parameters: {
				operation: 'sendImage',
				number: '={{ $json.number }}',
				url: 'https://example.com/a.png',
			},
			settings: { onError: 'continueRegularOutput' },
			credential: { ...CREDENTIAL, ...currentAccount() },
			...run,
		});
		return outputs[0].map(({ json }) => json);
	};

	test('makes a retried execution send only the remaining items', async () => {
		const items = ['49151', '49152', '49153'].map((number) => ({ number }));
		const results = await retry({ items, context: saved.sends });
		expect(requestedNumbers(server)).toEqual(['49152', '49153']);
		expect(results.map(({ id }) => id)).toEqual(['m49151', 'm49152', 'm49153']);
	});

	test('makes a retried execution send nothing unknown', async () => {
		const items = ['49151', '49154'].map((number) => ({ number }));
		const results = await retry({ items, context: saved.unknown });
		expect(requestedNumbers(server)).toEqual([]);
		expect(results).toMatchObject([{ id: 'm49151' }, { error: { delivery: 'unknown' } }]);
	});

	test('makes a retried execution send only the remaining files', async () => {
		const { files } = saved;
		const data = { data: files.file, mimeType: 'image/png' };
		const results = await retry({
			parameters: {
				operation: 'sendImage',
				imageSource: 'binary',
				number: '={{ ["49151", "49152"][$itemIndex] }}',
				options: { handOverAs: 'dataUri' },
			},
			files: [{ data }, { data }],
			context: files.context,
		});
		expect(requestedNumbers(server)).toEqual(['49152']);
		expect(results.map(({ id }) => id)).toEqual(['m49151', 'm49152']);
	});
});
